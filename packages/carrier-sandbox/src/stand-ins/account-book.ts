import type { AccountBook, StandIn, WithWebhook } from './stand-in.ts'

const mostAccounts = 1000

export function createAccountBook(): AccountBook {
  const accounts = new Map<string, WithWebhook[]>()
  const of = ({ name }: StandIn<WithWebhook>) => accounts.get(name) ?? []
  return {
    find: (standIn, req) => of(standIn).find((account) => standIn.isOf(req, account)),
    newest: (standIn) => of(standIn)[0],
    add: (standIn, account) => void accounts.set(standIn.name, [account, ...of(standIn)].slice(0, mostAccounts)),
  }
}
