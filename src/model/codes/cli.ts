import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the command line: what can be wrong with a command, its settings, or the machine it runs on. */
export const cliCodes = {
  usage: {
    meaning:
      "The command was typed wrong: an unknown command or flag, a missing argument, or a value that does not fit.",
    remedy: "Look at `rowferry --help`, or at `rowferry <command> --help`, and type the command again.",
    example: "`rowferry import m.yaml` without a file to import.",
    transient: false,
    exit: ExitCode.usage,
  },
  "settings-incomplete": {
    meaning: "The target that was chosen lacks settings without which no request can be made.",
    remedy: "Set what the message names, or rehearse with --sandbox, which needs no settings.",
    example: "A cron job sets ROWFERRY_BASE_URL but lost ROWFERRY_CLIENT_SECRET: nothing is read and nothing is sent.",
    transient: false,
    exit: ExitCode.usage,
  },
  "settings-invalid": {
    meaning: "A setting has a value that cannot be used, or the settings file has a member that nobody knows.",
    remedy: "Correct the setting at the place that the message names.",
    example: "`baseURL:` in rowferry.config.yaml, where the member is called `baseUrl`.",
    transient: false,
    exit: ExitCode.usage,
  },
  "settings-mixed": {
    meaning: "The service's address comes from the environment and its credential from .env, or the other way round.",
    remedy: "Set both in one place, or name them together as a target in rowferry.config.yaml.",
    example: "ROWFERRY_BASE_URL of a rehearsal in the shell, and a forgotten .env with the client of production.",
    transient: false,
    exit: ExitCode.usage,
  },
  "target-unknown": {
    meaning: "No target has the name that was asked for.",
    remedy: "Use one of the names in rowferry.config.yaml, or `sandbox`, or `env` for the ROWFERRY_… settings.",
    example: "`--target prodution` where rowferry.config.yaml names `production`.",
    transient: false,
    exit: ExitCode.usage,
  },
  "target-not-chosen": {
    meaning: "More than one service could be meant, and nothing says which.",
    remedy: "Name it: --target <name>, ROWFERRY_TARGET=<name>, or --sandbox for a rehearsal.",
    example: "Two targets in rowferry.config.yaml and no --target: nothing is read and nothing is sent.",
    transient: false,
    exit: ExitCode.usage,
  },
  "url-insecure": {
    meaning:
      "Plain http was asked for to a machine other than this one; the credential would travel readable by anybody.",
    remedy: "Use https. Plain http goes only to localhost, 127.0.0.1 and [::1].",
    example: "ROWFERRY_BASE_URL=http://api.example.com",
    transient: false,
    exit: ExitCode.usage,
  },
  "settings-unsafe": {
    meaning: "Somebody else may write the settings or read the secret, or settings name a secret outside their folder.",
    remedy: "Make the file your own and close it to others (chmod 600), or keep the secret beside the settings.",
    example: "A downloaded folder whose rowferry.config.yaml says `clientSecretFile: /home/me/production.secret`.",
    transient: false,
    exit: ExitCode.usage,
  },
  "secret-unreadable": {
    meaning: "The file that should hold the client secret cannot be read, or holds nothing.",
    remedy: "Check the path, and that the user who runs rowferry may read the file.",
    example: "`clientSecretFile: production.secret` in a container where that file is not mounted.",
    transient: false,
    exit: ExitCode.usage,
  },
  "code-unknown": {
    meaning: "There is no code of that name.",
    remedy: "`rowferry explain` without a name lists all codes.",
    example: "`rowferry explain file-mising`.",
    transient: false,
    exit: ExitCode.usage,
  },
  "run-unknown": {
    meaning: "The ledger has no run of that name, or none that came to an end.",
    remedy: "`rowferry status` names the last run; `rowferry runs` lists them all.",
    example: "`rowferry report 2026-11-20T0200-import` with the ledger of another target.",
    transient: false,
    exit: ExitCode.usage,
  },
  "port-in-use": {
    meaning: "Another program listens on the port that was asked for.",
    remedy: "Choose another with --port, or leave the flag out to get a free one.",
    example: "`rowferry sandbox --port 8080` twice.",
    transient: true,
    exit: ExitCode.usage,
  },
  "file-exists": {
    meaning: "The file that a command would write is there already.",
    remedy: "Name another file, or give --force to write over it.",
    example: "`rowferry guess march.csv -o mapping.yaml` where mapping.yaml has been edited since.",
    transient: false,
    exit: ExitCode.usage,
  },
  "output-unwritable": {
    meaning: "A file or folder that the command writes to cannot be written.",
    remedy: "Check that the disk has room and that the folder may be written by this user, then run the command again.",
    example: "The run's folder lies on a disk that is full; what was sent stands in the ledger all the same.",
    transient: true,
    exit: ExitCode.unexpected,
  },
  interrupted: {
    meaning:
      "The command was stopped by a signal (Ctrl-C, the system's SIGTERM, or its terminal was closed). Calls under way were let to finish.",
    remedy: "`rowferry resume` goes on where it stopped; nothing is sent twice.",
    example: "Ctrl-C during an import: exit code 130, and the ledger knows what has landed.",
    transient: true,
    exit: ExitCode.interrupted,
  },
  unexpected: {
    meaning: "Something happened that the program was not prepared for: a fault of its own or of the machine.",
    remedy: "Running the command again is safe; with --log-level debug the whole error is printed.",
    example: "A disk that answers with an input/output error in the middle of an import.",
    transient: false,
    exit: ExitCode.unexpected,
  },
} as const satisfies Record<string, CodeEntry>;
