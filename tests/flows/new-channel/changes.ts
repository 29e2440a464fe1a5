/** The changes of an existing file: each text occurs once, and is replaced. */
export interface Change {
  file: string
  edits: readonly (readonly [find: string, replacement: string])[]
}

/** The changes of existing files for a new channel with its own carrier, which reports receipts. */
export const changes: readonly Change[] = [
  {
    file: 'packages/contracts/src/channels/table.ts',
    edits: [
      ["import { sms } from './sms.ts'", "import { push } from './push.ts'\nimport { sms } from './sms.ts'"],
      ['const table = { email,', 'const table = { push, email,'],
    ],
  },
  {
    file: 'packages/contracts/src/index.ts',
    edits: [
      [
        "export * from './consent.ts'",
        "export { pushCallback } from './channels/push.ts'\nexport * from './consent.ts'",
      ],
    ],
  },
  {
    file: 'packages/carriers/src/messages.ts',
    edits: [
      [
        'export interface ChannelMessages {',
        'export interface PushMessage {\n  to: string\n  alert: string\n}\n\nexport interface ChannelMessages {\n  push: PushMessage',
      ],
    ],
  },
  {
    file: 'packages/carriers/src/kinds.ts',
    edits: [
      ['import { ses }', "import { pusher } from './pusher/kind.ts'\nimport { ses }"],
      ['export const kinds = {', 'export const kinds = { pusher,'],
    ],
  },
  {
    file: 'packages/carriers/src/receiving.ts',
    edits: [
      [
        'import type { ReceiverDefinition }',
        "import { pusherReceiver } from './pusher/receive.ts'\nimport type { ReceiverDefinition }",
      ],
      ['const table = {', 'const table = {\n  pusher: pusherReceiver,'],
    ],
  },
  {
    file: 'services/dispatch/src/channels/registry.ts',
    edits: [
      ['import { sms }', "import { push } from './push/channel.ts'\nimport { sms }"],
      ['export const channels: Channels = {', 'export const channels: Channels = { push,'],
    ],
  },
  {
    file: 'packages/console/src/channels/table.ts',
    edits: [
      ['import { sms }', "import { push } from './push.tsx'\nimport { sms }"],
      ['const table = { email,', 'const table = { push, email,'],
    ],
  },
  {
    file: 'packages/carrier-sandbox/src/sandbox.ts',
    edits: [
      ['import { ReceivedLog }', "import { pusherRoutes } from './pusher/routes.ts'\nimport { ReceivedLog }"],
      [".use('/twilio',", ".use('/pusher', pusherRoutes({ log, sender, reporter }))\n    .use('/twilio',"],
    ],
  },
]
