/** What `throttle` may be in settings, and `--throttle`. */
export const redisAddress = /^rediss?:\/\/[^/]/;
