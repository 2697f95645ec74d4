import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the command line: what can be wrong with a command, its settings, or the machine it runs on. */
export const cliCodes = {
  usage: {
    meaning: "The command line is wrong: an unknown command or option, a missing argument, or an invalid value.",
    remedy: "See `rowferry --help` or `rowferry <command> --help`, then type the command again.",
    example: "`rowferry import m.yaml` without a file to import.",
    exit: ExitCode.usage,
  },
  "path-unusable": {
    meaning: "A path that was named cannot be what the command needs of it.",
    remedy: "Name another path, or check what is there.",
    example: "`rowferry schema -o notes.txt/schema.json`, where notes.txt is a file.",
    exit: ExitCode.usage,
  },
  "settings-incomplete": {
    meaning: "The chosen target lacks settings that every request needs.",
    remedy: "Set what the message names, or rehearse with --sandbox, which needs no settings.",
    example: "A cron job sets ROWFERRY_BASE_URL but lost ROWFERRY_CLIENT_SECRET: nothing is read and nothing is sent.",
    exit: ExitCode.usage,
  },
  "settings-invalid": {
    meaning: "A setting has an invalid value, or the settings file has an unknown setting.",
    remedy: "Correct the setting at the place that the message names.",
    example: "`baseURL:` in rowferry.config.yaml, where the setting is called `baseUrl`.",
    exit: ExitCode.usage,
  },
  "settings-mixed": {
    meaning: "The service's address comes from the environment and its credential from .env, or the other way round.",
    remedy: "Set both in one place, or name them together as a target in rowferry.config.yaml.",
    example: "ROWFERRY_BASE_URL of a rehearsal in the shell, and a forgotten .env with the client of production.",
    exit: ExitCode.usage,
  },
  "target-unknown": {
    meaning: "No target has the name that was asked for.",
    remedy: "Use one of the names in rowferry.config.yaml, or `sandbox`, or `env` for the ROWFERRY_… settings.",
    example: "`--target prodution` where rowferry.config.yaml names `production`.",
    exit: ExitCode.usage,
  },
  "target-not-chosen": {
    meaning: "More than one service is possible, and none was chosen.",
    remedy: "Name it: --target <name>, ROWFERRY_TARGET=<name>, or --sandbox for a rehearsal.",
    example: "Two targets in rowferry.config.yaml and no --target: nothing is read and nothing is sent.",
    exit: ExitCode.usage,
  },
  "url-insecure": {
    meaning: "An address uses plain http to another machine; anyone on the way could read the credential.",
    remedy: "Use https. Plain http is sent only to localhost, 127.0.0.1 and [::1].",
    example: "ROWFERRY_BASE_URL=http://api.example.com",
    exit: ExitCode.usage,
  },
  "settings-unsafe": {
    meaning:
      "Someone else can change the settings or read the secret, or the settings name a secret outside their folder.",
    remedy: "Make the file your own and close it to others (chmod 600), or keep the secret beside the settings.",
    example: "A downloaded folder whose rowferry.config.yaml says `clientSecretFile: /home/me/production.secret`.",
    exit: ExitCode.usage,
  },
  "secret-unreadable": {
    meaning: "The file that should hold the client secret cannot be read, or holds nothing.",
    remedy: "Check the path, and that the user who runs rowferry may read the file.",
    example: "`clientSecretFile: production.secret` in a container where that file is not mounted.",
    exit: ExitCode.usage,
  },
  "code-unknown": {
    meaning: "No such code exists.",
    remedy: "`rowferry explain` without a name lists all codes.",
    example: "`rowferry explain file-mising`.",
    exit: ExitCode.usage,
  },
  "run-unknown": {
    meaning: "The ledger has no finished run of that name.",
    remedy: "`rowferry status` names the last run; `rowferry runs` lists them all.",
    example: "`rowferry report 2026-11-20T0200-import` with the ledger of another target.",
    exit: ExitCode.usage,
  },
  "port-in-use": {
    meaning: "Another program is using the port.",
    remedy: "Choose another with --port, or leave the flag out to get a free one.",
    example: "`rowferry sandbox --port 8080` twice.",
    transient: true,
    exit: ExitCode.usage,
  },
  "file-exists": {
    meaning: "The file to be written exists already.",
    remedy: "Name another file, or give --force to write over it.",
    example: "`rowferry guess march.csv -o mapping.yaml` where mapping.yaml has been edited since.",
    exit: ExitCode.usage,
  },
  "output-unwritable": {
    meaning: "The command cannot write to a file or folder.",
    remedy: "Check that the disk has room and that you may write to the folder, then run the command again.",
    example: "The disk with the run's folder is full; the ledger still knows everything that was sent.",
    transient: true,
    exit: ExitCode.unexpected,
  },
  interrupted: {
    meaning:
      "A signal stopped the command (Ctrl-C, SIGTERM, or a closed terminal). Requests already sent were allowed to finish.",
    remedy: "`rowferry resume` continues where it stopped; nothing is sent twice.",
    example: "Ctrl-C during an import: exit code 130, and the ledger knows what has landed.",
    transient: true,
    exit: ExitCode.interrupted,
  },
  unexpected: {
    meaning: "The program met something it cannot handle: a bug, or a fault of the machine.",
    remedy: "Running the command again is safe; --log-level debug prints the whole error.",
    example: "A disk that answers with an input/output error in the middle of an import.",
    exit: ExitCode.unexpected,
  },
} as const satisfies Record<string, CodeEntry>;
