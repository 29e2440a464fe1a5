import { answer, api } from './client.ts'

/** The token of a recipient, by POST: neither an address nor a log gets the number. */
export const tokenOf = async (recipient: string): Promise<string> =>
  (await answer(api.POST('/api/v1/recipients/lookup', { body: { recipient } }))).recipient_token
