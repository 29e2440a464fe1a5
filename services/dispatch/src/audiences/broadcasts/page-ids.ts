import { derivedId, type Id } from '@notify/contracts'
import type { BroadcastRow } from './broadcast-store.ts'

type Position = Pick<BroadcastRow, 'created_at' | 'pages'>

/** The time in the ids of a page's notifications, a millisecond later for each page: ids that ascend are cheap to store. */
export const timeOfPage = ({ created_at, pages }: Position): number => created_at.getTime() + pages

/** The first and the last id that they can have. */
export const idsOfPage = (page: Position): [Id<'notif'>, Id<'notif'>] => [
  derivedId('notif', timeOfPage(page), new Uint8Array(16)),
  derivedId('notif', timeOfPage(page), new Uint8Array(16).fill(255)),
]
