import { benchAccept } from './accept/bench-accept.ts'
import { benchActivity } from './activity/bench-activity.ts'
import { benchBroadcast } from './broadcasts/bench-broadcast.ts'
import { benchBudget } from './budget/bench-budget.ts'
import { benchEndToEnd } from './e2e/bench-e2e.ts'
import { benchHostile } from './hostile/bench-hostile.ts'
import { benchIdle } from './idle/bench-idle.ts'
import { benchInbox } from './inbox/bench-inbox.ts'
import { benchBacklog } from './lanes/bench-backlog.ts'
import { benchFairness } from './lanes/bench-fairness.ts'
import { benchLanes } from './lanes/bench-lanes.ts'
import { benchMemory } from './memory/bench-memory.ts'
import { benchOtp } from './otp/bench-otp.ts'
import { benchPeers } from './peers/bench-peers.ts'
import { benchSoak } from './soak/bench-soak.ts'
import { benchSse } from './sse/bench-sse.ts'
import { benchSteady } from './steady/bench-steady.ts'
import { benchStorage } from './storage/bench-storage.ts'
import { benchWebhooks } from './webhooks/bench-webhooks.ts'
import { benchWhatsApp } from './whatsapp/bench-whatsapp.ts'

/** `pnpm bench <name>`: each benchmark starts its own stack and ends with one line of JSON. */
const benches: Record<string, () => Promise<object>> = {
  accept: benchAccept,
  activity: benchActivity,
  backlog: benchBacklog,
  broadcast: benchBroadcast,
  budget: benchBudget,
  fairness: benchFairness,
  lanes: benchLanes,
  e2e: benchEndToEnd,
  hostile: benchHostile,
  idle: benchIdle,
  memory: benchMemory,
  otp: benchOtp,
  inbox: benchInbox,
  peers: benchPeers,
  soak: benchSoak,
  sse: benchSse,
  steady: benchSteady,
  storage: benchStorage,
  webhooks: benchWebhooks,
  whatsapp: benchWhatsApp,
}

const name = process.argv[2] ?? ''
const bench = benches[name]
if (bench) {
  const result = await bench()
  console.log(JSON.stringify({ bench: name, ...result }))
} else {
  console.error(`Which bench? One of: ${Object.keys(benches).join(', ')}`)
  process.exitCode = 1
}
