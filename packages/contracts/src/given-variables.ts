// Without zod, so that the console loads the names alone.

/** Variables that every template has beside those of the caller: where the recipient switches the topic, or everything. */
export const linkNames = ['unsubscribe_url', 'preferences_url'] as const

/** Variables of a one-time code's template; `autofill` is the last line of an SMS that browsers read. */
export const codeNames = ['code', 'minutes', 'autofill'] as const

/** Variables of a digest's template beside those of the newest item. */
export const digestNames = ['total', 'items', 'more'] as const
