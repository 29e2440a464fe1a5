/** The address of a mailbox, which carriers report as `Ada <ada@example.com>` or alone. */
export const addressIn = (mailbox: string): string => (/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim()
