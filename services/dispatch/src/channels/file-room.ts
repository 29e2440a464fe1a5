import type { TenantRoomSize } from '@notify/service-kit'

/** Messages with files that a process accepts, and that it sends: each takes several times the bytes of its files. */
export const acceptingRoom: TenantRoomSize = { most: 16, mostOfTenant: 6 }
export const sendingRoom: TenantRoomSize = { most: 6, mostOfTenant: 3 }
