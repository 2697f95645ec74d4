// Bundles the console's page. The folder that it is written to: the first argument, or the built program's.
import { build } from "esbuild";

await build({
  entryPoints: ["src/console/web/app.tsx"],
  outfile: `${process.argv[2] ?? "dist"}/console/web/app.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  // Modules that the page shares with the command line may read TZ as they load.
  define: { "process.env": "{}" },
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
