import { attachmentLimits } from '@notify/contracts'
import type { TenantRoom, TenantRoomSize } from '@notify/service-kit'
import { tooMany } from './fetch-file.ts'

/** Messages with files that a process accepts, and that it sends: each takes several times the bytes of its files. */
export const acceptingRoom: TenantRoomSize = { most: 16, mostOfTenant: 6 }
export const sendingRoom: TenantRoomSize = { most: 6, mostOfTenant: 3 }

/** How long a message with files waits for others of its tenant to be accepted. */
const longestWaitMs = 1500

/** Takes the room of a message. @returns a function that releases it @throws Problem `rate_limited` */
export async function takeRoom(room: TenantRoom, tenantId: string): Promise<() => void> {
  const leave = await room(tenantId, performance.now() + longestWaitMs)
  if (!leave) throw tooMany('Too many messages with attachments are being accepted; try again shortly')
  return leave
}

/** The room of the messages of a batch, whose files stay in memory until all of them are committed. */
export interface BatchRoom {
  /** Reads a message in the room of one. It keeps that only if its files do not fit beside those of the others. */
  read<T extends { files?: Buffer | undefined }>(tenantId: string, read: () => Promise<T>): Promise<T>
  leave(): void
}

/** Files of 7 MiB take the room of one message, whether one or many have them. */
export function createBatchRoom(room: TenantRoom): BatchRoom {
  const kept: (() => void)[] = []
  let bytes = 0
  return {
    async read(tenantId, read) {
      const leave = await takeRoom(room, tenantId)
      const message = await read().catch((error) => {
        leave()
        throw error
      })
      bytes += message.files?.length ?? 0
      if (bytes > kept.length * attachmentLimits.bytes) kept.push(leave)
      else leave()
      return message
    },
    leave() {
      for (const leave of kept.splice(0)) leave()
      bytes = 0
    },
  }
}
