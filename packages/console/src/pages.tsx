import {
  Activity,
  AtSign,
  Ban,
  CalendarClock,
  ChartColumn,
  FileCheck2,
  Handshake,
  KeyRound,
  Layers,
  LayoutTemplate,
  ListChecks,
  type LucideIcon,
  Megaphone,
  PanelTop,
  Plug,
  ScrollText,
  Tags,
  Terminal,
  TriangleAlert,
  UserRoundSearch,
  Users,
  Webhook,
} from 'lucide-react'
import type { ComponentType } from 'react'
import type { Permission } from './api/me.ts'

/** Headings of the navigation, in its order. */
export const groups = ['Deliver', 'Set up', 'Recipients', 'Account'] as const

export interface ConsolePage {
  /** Below /console, and the name of the folder in `pages`. */
  path: string
  /** Optional parameters after the path, for example `:id?`. */
  rest?: string
  title: string
  group: (typeof groups)[number]
  icon: LucideIcon
  /** The permission to see the page in the navigation; null: every operator may. */
  permission: Permission | null
  /** Loads the page's code on the first visit. */
  load: () => Promise<ComponentType>
}

/** Every page of the console, in the order of the navigation. The start page is the first one that the operator may see,
 * or `get-started` before anything was sent. */
export const pages: readonly ConsolePage[] = [
  {
    path: 'activity',
    rest: ':id?',
    title: 'Activity',
    group: 'Deliver',
    icon: Activity,
    permission: 'activity:read',
    load: async () => (await import('./pages/activity/activity-page.tsx')).ActivityPage,
  },
  {
    path: 'broadcasts',
    rest: ':id?',
    title: 'Broadcasts',
    group: 'Deliver',
    icon: Megaphone,
    permission: 'activity:read',
    load: async () => (await import('./pages/broadcasts/broadcasts-page.tsx')).BroadcastsPage,
  },
  {
    path: 'digests',
    rest: ':applicationId?',
    title: 'Digests',
    group: 'Deliver',
    icon: Layers,
    permission: 'activity:read',
    load: async () => (await import('./pages/digests/digests-page.tsx')).DigestsPage,
  },
  {
    path: 'failures',
    title: 'Failures',
    group: 'Deliver',
    icon: TriangleAlert,
    permission: 'activity:read',
    load: async () => (await import('./pages/failures/failures-page.tsx')).FailuresPage,
  },
  {
    path: 'api-log',
    title: 'API log',
    group: 'Deliver',
    icon: Terminal,
    permission: 'activity:read',
    load: async () => (await import('./pages/api-log/api-log-page.tsx')).ApiLogPage,
  },
  {
    path: 'get-started',
    title: 'Get started',
    group: 'Deliver',
    icon: ListChecks,
    permission: 'applications:manage',
    load: async () => (await import('./pages/get-started/get-started-page.tsx')).GetStartedPage,
  },
  {
    path: 'applications',
    rest: ':id?/:key?',
    title: 'Applications',
    group: 'Set up',
    icon: KeyRound,
    permission: 'applications:manage',
    load: async () => (await import('./pages/applications/applications-page.tsx')).ApplicationsPage,
  },
  {
    path: 'events',
    rest: ':applicationId?/:eventKey?',
    title: 'Events',
    group: 'Set up',
    icon: CalendarClock,
    permission: 'events:manage',
    load: async () => (await import('./pages/events/events-page.tsx')).EventsPage,
  },
  {
    path: 'topics',
    rest: ':applicationId?/:topicKey?',
    title: 'Topics',
    group: 'Set up',
    icon: Tags,
    permission: 'topics:manage',
    load: async () => (await import('./pages/topics/topics-page.tsx')).TopicsPage,
  },
  {
    path: 'templates',
    rest: ':id?',
    title: 'Templates',
    group: 'Set up',
    icon: LayoutTemplate,
    permission: 'events:manage',
    load: async () => (await import('./pages/templates/templates-page.tsx')).TemplatesPage,
  },
  {
    path: 'layouts',
    rest: ':id?',
    title: 'Layouts',
    group: 'Set up',
    icon: PanelTop,
    permission: 'events:manage',
    load: async () => (await import('./pages/layouts/layouts-page.tsx')).LayoutsPage,
  },
  {
    path: 'providers',
    rest: ':id?',
    title: 'Providers',
    group: 'Set up',
    icon: Plug,
    permission: 'providers:manage',
    load: async () => (await import('./pages/providers/providers-page.tsx')).ProvidersPage,
  },
  {
    path: 'whatsapp-templates',
    rest: ':provider?/:name?/:language?',
    title: 'WhatsApp templates',
    group: 'Set up',
    icon: FileCheck2,
    permission: 'providers:manage',
    load: async () => (await import('./pages/whatsapp-templates/whatsapp-templates-page.tsx')).WhatsAppTemplatesPage,
  },
  {
    path: 'domains',
    rest: ':id?',
    title: 'Domains',
    group: 'Set up',
    icon: AtSign,
    permission: 'domains:manage',
    load: async () => (await import('./pages/domains/domains-page.tsx')).DomainsPage,
  },
  {
    path: 'webhooks',
    rest: ':id?/:delivery?',
    title: 'Webhooks',
    group: 'Set up',
    icon: Webhook,
    permission: 'webhooks:manage',
    load: async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
  },
  {
    path: 'people',
    rest: ':of?/:token?',
    title: 'People',
    group: 'Recipients',
    icon: UserRoundSearch,
    permission: 'consents:read',
    load: async () => (await import('./pages/people/people-page.tsx')).PeoplePage,
  },
  {
    path: 'lists',
    title: 'Lists',
    group: 'Recipients',
    icon: Users,
    permission: 'activity:read',
    load: async () => (await import('./pages/lists/lists-page.tsx')).ListsPage,
  },
  {
    path: 'consents',
    title: 'Consents',
    group: 'Recipients',
    icon: Handshake,
    permission: 'consents:read',
    load: async () => (await import('./pages/consents/consents-page.tsx')).ConsentsPage,
  },
  {
    path: 'suppressions',
    rest: ':id?',
    title: 'Suppressions',
    group: 'Recipients',
    icon: Ban,
    permission: 'consents:read',
    load: async () => (await import('./pages/suppressions/suppressions-page.tsx')).SuppressionsPage,
  },
  {
    path: 'usage',
    title: 'Usage',
    group: 'Account',
    icon: ChartColumn,
    permission: 'usage:read',
    load: async () => (await import('./pages/usage/usage-page.tsx')).UsagePage,
  },
  {
    path: 'audit',
    rest: ':id?',
    title: 'Audit log',
    group: 'Account',
    icon: ScrollText,
    permission: 'audit:read',
    load: async () => (await import('./pages/audit/audit-page.tsx')).AuditPage,
  },
]
