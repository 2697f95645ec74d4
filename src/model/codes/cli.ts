import { ending, passing, unexpected, usage } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the command line: what can be wrong with a command, its settings, or the machine it runs on. */
export const cliCodes = {
  usage: usage(
    "The command line is wrong: an unknown command or option, a missing argument, or an invalid value.",
    "See `rowferry --help` or `rowferry <command> --help`, then type the command again.",
    "`rowferry import m.yaml` without a file to import.",
  ),
  "path-unusable": usage(
    "The command cannot use a path that it was given.",
    "Name another path, or check what is there.",
    "`rowferry guess march.csv -o notes.txt/mapping.yaml`, where notes.txt is a file.",
  ),
  "settings-incomplete": usage(
    "The chosen target lacks settings that every request needs.",
    "Set what the message names, or rehearse with --sandbox, which needs no settings.",
    "A cron job sets ROWFERRY_BASE_URL but lost ROWFERRY_CLIENT_SECRET: nothing is read and nothing is sent.",
  ),
  "settings-invalid": usage(
    "A setting has an invalid value, or the settings file has an unknown setting.",
    "Correct the setting at the place that the message names.",
    "`baseURL:` in rowferry.config.yaml, where the setting is called `baseUrl`.",
  ),
  "settings-mixed": usage(
    "The service's address comes from the environment and its credential from .env, or vice versa.",
    "Set both in one place, or name them together as a target in rowferry.config.yaml.",
    "ROWFERRY_BASE_URL of a rehearsal in the shell, and a forgotten .env with the client of production.",
  ),
  "target-unknown": usage(
    "No target has the name that was asked for.",
    "Use one of the names in rowferry.config.yaml, or `sandbox`, or `env` for the ROWFERRY_… settings.",
    "`--target prodution` where rowferry.config.yaml names `production`.",
  ),
  "target-not-chosen": usage(
    "More than one service is possible, and none was chosen.",
    "Name it: --target <name>, ROWFERRY_TARGET=<name>, or --sandbox for a rehearsal.",
    "Two targets in rowferry.config.yaml and no --target: nothing is read and nothing is sent.",
  ),
  "url-insecure": usage(
    "An address uses plain http to another machine; anyone on the network in between could read the credential.",
    "Use https. Plain http is sent only to localhost, 127.0.0.1 and [::1].",
    "ROWFERRY_BASE_URL=http://api.example.com",
  ),
  "settings-unsafe": usage(
    "Another user can change the settings or read the secret, or the settings name a secret outside their folder.",
    "Make yourself the file's owner and close it to others (chmod 600), or keep the secret next to the settings.",
    "A downloaded folder whose rowferry.config.yaml says `clientSecretFile: /home/me/production.secret`.",
  ),
  "secret-unreadable": usage(
    "The file that should hold the client secret cannot be read, or holds nothing.",
    "Check the path, and that the user who runs rowferry may read the file.",
    "`clientSecretFile: production.secret` in a container where that file is not mounted.",
  ),
  "code-unknown": usage(
    "No such code exists.",
    "`rowferry explain` without a name lists all codes.",
    "`rowferry explain file-mising`.",
  ),
  "run-unknown": usage(
    "The ledger has no finished run of that name.",
    "`rowferry status` names the last run; `rowferry runs` lists them all.",
    "`rowferry report 2026-11-20T0200-import` with the ledger of another target.",
  ),
  "port-in-use": passing(
    usage(
      "Another program is using the port.",
      "Choose another with --port, or leave the flag out to get a free one.",
      "`rowferry sandbox --port 8080` twice.",
    ),
  ),
  "file-exists": usage(
    "The file to write exists already.",
    "Name another file, or move this one away; `guess` takes --force.",
    "`rowferry guess march.csv -o mapping.yaml` where mapping.yaml has been edited since.",
  ),
  "output-unwritable": passing(
    unexpected(
      "The command cannot write to a file or folder.",
      "Check that the disk has room and that you may write to the folder, then run the command again.",
      "The disk with the run's folder is full; the ledger still knows everything that was sent.",
    ),
  ),
  interrupted: passing(
    ending(ExitCode.interrupted)(
      "A signal stopped the command (Ctrl-C, SIGTERM, or a closed terminal). Requests already sent were allowed to finish.",
      "`rowferry resume` continues where it stopped; nothing is sent twice.",
      "Ctrl-C during an import: exit code 130, and the ledger knows what has landed.",
    ),
  ),
  unexpected: unexpected(
    "The program ran into something that it cannot handle: a bug, or a fault of the machine.",
    "Running the command again is safe; --log-level debug prints the whole error.",
    "A disk that answers with an input/output error in the middle of an import.",
  ),
};
