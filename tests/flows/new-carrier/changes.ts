import type { Change } from '../new-channel/changes.ts'

/** The changes of existing files for a new carrier of SMS, which reports receipts. */
export const changes: readonly Change[] = [
  {
    file: 'packages/carriers/src/kinds.ts',
    edits: [
      ['import { twilio }', "import { texter } from './texter/kind.ts'\nimport { twilio }"],
      ['  telnyx,\n', '  telnyx,\n  texter,\n'],
    ],
  },
  {
    file: 'packages/carriers/src/receiving.ts',
    edits: [
      ['import { twilioReceiver }', "import { texterReceiver } from './texter/receive.ts'\nimport { twilioReceiver }"],
      ['  telnyx: telnyxReceiver,\n', '  telnyx: telnyxReceiver,\n  texter: texterReceiver,\n'],
    ],
  },
  {
    file: 'packages/carrier-sandbox/src/stand-ins/table.ts',
    edits: [
      ['import { vonage }', "import { texter } from '../texter/stand-in.ts'\nimport { vonage }"],
      [', telnyx,', ', telnyx, texter,'],
    ],
  },
]
