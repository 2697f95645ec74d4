/** Writes that the service refused, as they were at that moment: with what they carried, and whether another document was the cause. */
import type { Sandbox } from "../../../src/sandbox/index.js";
import type { TransportRequest } from "../../../src/submit/transport.js";

export interface Refusal {
  path: string;
  status: number;
  /** Keys of what it carried, the document's own included. */
  keys: string[];
}

interface SentEvent {
  deduplicationId: string;
  externalCreatedAt: string;
  relatedDocument?: { documentId: string; bidirectional?: boolean };
}

/** What a request carries, whichever endpoint it goes to. */
interface Carried {
  deduplicationId?: string;
  events?: SentEvent[];
  document?: { deduplicationId: string };
}

export function createRefusals(sandbox: Sandbox) {
  const all: Refusal[] = [];
  const byMirror = new Set<string>();
  let before: ReadonlySet<string> = new Set();
  let isReleased = false;

  /**
   * Whether the service may refuse the link for what stands on the other document (open points 30 and 32), and no order of this
   * run's requests could have avoided it: it was closed by then, or had been passed before the run began.
   */
  const isRefusedMirror = (event: SentEvent) => {
    const { documentId = "", bidirectional = true } = event.relatedDocument ?? {};
    const other = bidirectional ? sandbox.store.document(documentId) : undefined;
    const at = Date.parse(event.externalCreatedAt);
    const { closedMirrors, earlyMirrors, linkTime } = sandbox.settings;
    return (other?.events ?? []).some(({ at: stood, name, eventId }) => {
      const wasThere = before.has(eventId);
      // Written at the service's own time, the mirror comes after whatever the other document still had to send (H18).
      const isBefore = wasThere || stood <= at || linkTime === "server";
      if (closedMirrors === "refuse" && ["CLOSE", "CANCEL"].includes(name) && isBefore) return true;
      return earlyMirrors === "refuse" && stood > at && (wasThere || isReleased);
    });
  };

  return {
    all: all as readonly Refusal[],
    /** Keys of what went with a link that was refused so, or was sent again after it. */
    byMirror: byMirror as ReadonlySet<string>,
    /** A run begins. */
    begin() {
      isReleased = false;
      before = new Set(sandbox.store.documents().flatMap(({ events }) => events.map(({ eventId }) => eventId)));
    },
    /** Beside the run a person lets go what was held: it comes after what was planned by then. */
    release() {
      isReleased = true;
    },
    note({ method, url, body }: TransportRequest, status: number) {
      const path = new URL(url).pathname;
      if (method !== "POST" || status < 400 || !path.includes("/documents")) return;
      const carried = JSON.parse(body ?? "{}") as Carried;
      const events = carried.events ?? (path.endsWith("/events") ? [carried as SentEvent] : []);
      const keys = [carried, carried.document, ...events].flatMap((one) => one?.deduplicationId ?? []);
      all.push({ path, status, keys });
      if (!events.some((event) => isRefusedMirror(event))) return;
      for (const key of keys) byMirror.add(key);
    },
  };
}
