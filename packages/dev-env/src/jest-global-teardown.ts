/** Ends what jest-global-setup.ts started. */
export default async function teardown(): Promise<void> {
  await (globalThis as { notifyTestEnd?: () => Promise<void> }).notifyTestEnd?.()
}
