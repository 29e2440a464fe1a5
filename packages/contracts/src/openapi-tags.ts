import type { Route } from './route.ts'

/** Areas of the API, by the first segment of the path, in the order of their names. */
const tagDescriptions = {
  activity: 'Messages with their recipients and results; retries and exports',
  applications: 'Applications, their API keys and their events',
  'audit-log': 'Who changed what in the configuration',
  broadcasts: 'Notifications to each member of a list, with their progress',
  callbacks: 'Callbacks of the carriers, authenticated by their signatures',
  failures: 'What carriers refused or lost, by provider and code',
  domains: 'Sending domains of email and their DNS records',
  find: 'Ids that do not name their application',
  'in-app': 'Tokens of end users and their live stream',
  inbox: "An end user's notifications",
  layouts: 'Layouts of emails',
  lists: 'Lists of users',
  me: 'The caller of the request',
  notifications: 'Send notifications, read their state, cancel scheduled ones',
  operators: 'Names and email addresses of operators',
  otp: 'One-time passwords: send, verify, resend',
  preferences: 'What people switched off, by topic and channel',
  'provider-kinds': 'Kinds of providers, with the schemas of their credentials',
  providers: 'Carrier accounts and their credentials',
  recipients: 'Tokens that stand for recipients in addresses',
  service: 'Keys that verify what the service signed',
  suppressions: 'Recipients that get no messages',
  templates: 'Stored templates',
  usage: 'Credits by channel and category',
  users: 'Users of an application: addresses, quiet hours and preferences',
  'webhook-deliveries': 'Deliveries of webhooks with their attempts',
  'webhook-subscriptions': 'Endpoints that receive signed webhooks',
  whatsapp: 'Consent ledger and message templates of WhatsApp',
} as const
type Tag = keyof typeof tagDescriptions

/** The area that a route belongs to. */
export function tagOf({ path }: Pick<Route, 'path'>): string {
  return path.split('/')[3] ?? 'service'
}

/** The areas of these routes with their descriptions, by name. */
export function tagsOf(routes: readonly Route[]): { name: string; description: string }[] {
  const names = [...new Set(routes.map(tagOf))].sort()
  return names.map((name) => ({ name, description: tagDescriptions[name as Tag] }))
}
