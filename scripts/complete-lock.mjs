// Adds to the lock what npm leaves out of it. Run after `npm install`.
// - Entries for optional platform packages that the registry in use does not carry: `npm ci` wants every one of them, also
//   those of other platforms.
// - A package's `gypfile: false`: it ships its binaries. `npm ci` reads that from the lock alone, and without it runs node-gyp,
//   which fails on a machine without Python or a compiler.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const oses = ["android", "darwin", "freebsd", "linux", "win32", "openharmony", "netbsd", "openbsd", "sunos", "aix"];
const cpus = ["arm64", "x64", "ia32", "arm", "ppc64", "riscv64", "s390x", "mips64el", "loong64"];
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  const manifest = `${path}/package.json`;
  if (path !== "" && existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).gypfile === false) {
    entry.gypfile = false;
  }
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (path === "" || lock.packages[key] !== undefined) continue;
    const words = name.split(/[/-]/);
    const os = oses.find((candidate) => words.includes(candidate));
    const cpu = cpus.find((candidate) => words.includes(candidate));
    if (os === undefined || cpu === undefined) continue;
    const libc = words.some((word) => word.startsWith("musl")) ? { libc: ["musl"] } : {};
    lock.packages[key] = {
      version,
      cpu: [cpu],
      os: [os],
      ...libc,
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} entries added`);
