/** Requests are numbered `run * 2^32 + number in the run`: those of one run are a range of ids. */
const RUN = 2 ** 32;

export const requestId = (run: number, number: number): number => run * RUN + number;

/** The first and the last id that a request of this run can have. */
export const requestsOf = (run: number): [number, number] => [requestId(run, 0), requestId(run + 1, 0) - 1];
