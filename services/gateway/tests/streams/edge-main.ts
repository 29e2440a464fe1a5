import { passUsers } from '../../src/forwarding/pass-users.ts'
import { listParcels, parcelStream } from './contracts.ts'
import { serve } from './serve.ts'

const { OWNER_URL = '' } = process.env

await serve([], {
  door: { edge: true },
  extend(app, door) {
    passUsers(app, door, {
      contracts: [parcelStream, listParcels],
      urlOf: () => OWNER_URL,
      addressOf: () => 'somewhere',
      failures: { isOver: () => false, count() {} },
    })
  },
})
