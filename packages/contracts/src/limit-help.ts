import type { ErrorCode, ErrorHelp } from './errors.ts'

type LimitCode = Extract<ErrorCode, `${string}_limit_reached`>

/** The help text of errors about an exceeded number of resources. */
export const limitHelp: Readonly<Record<LimitCode, ErrorHelp>> = {
  domain_limit_reached: {
    meaning: 'The tenant has the maximum number of sending domains.',
    action: 'Delete a domain that is no longer used.',
  },
  application_limit_reached: {
    meaning: 'The tenant has the maximum number of applications.',
    action: 'Delete an application that is no longer used.',
  },
  api_key_limit_reached: {
    meaning: 'The application has the maximum number of active API keys.',
    action: 'Revoke a key that is no longer used.',
  },
  event_limit_reached: {
    meaning: 'The application has the maximum number of events.',
    action: 'Change an existing event, or ask the operator of the installation to raise EVENTS_PER_APPLICATION.',
  },
  event_version_limit_reached: {
    meaning: 'The event has the maximum number of published versions.',
    action: 'Create another event, or ask the operator of the installation to raise VERSIONS_PER_EVENT.',
  },
  translation_limit_reached: {
    meaning:
      'The event, the stored template or the layout has the maximum number of translations, or they are too long together.',
    action: 'Delete a translation that is no longer used, or create another event.',
  },
  topic_limit_reached: {
    meaning: 'The application has the maximum number of topics.',
    action:
      'Delete a topic that no event names, or ask the operator of the installation to raise TOPICS_PER_APPLICATION.',
  },
  template_limit_reached: {
    meaning: 'The tenant has the maximum number of stored templates.',
    action: 'Delete a template that is no longer used.',
  },
  layout_limit_reached: {
    meaning: 'The tenant has the maximum number of layouts.',
    action: 'Delete a layout that is no longer used.',
  },
  provider_limit_reached: {
    meaning: 'The tenant has the maximum number of providers.',
    action: 'Delete a provider that is no longer used.',
  },
  list_limit_reached: {
    meaning: 'The application has the maximum number of lists.',
    action:
      'Delete a list that is no longer used, or ask the operator of the installation to raise LISTS_PER_APPLICATION.',
  },
  member_limit_reached: {
    meaning: 'The list has the maximum number of members.',
    action: 'Divide the list, or ask the operator of the installation to raise MEMBERS_PER_LIST.',
  },
  broadcast_limit_reached: {
    meaning: 'The tenant has the maximum number of broadcasts that are running or paused.',
    action: 'Wait until a broadcast is completed, or cancel one.',
  },
  retry_job_limit_reached: {
    meaning: 'The tenant has the maximum number of retry jobs that are waiting or running.',
    action: 'Wait until a job is completed, or cancel one.',
  },
  export_limit_reached: {
    meaning: 'The tenant has the maximum number of exports under way.',
    action:
      'Read the exports that are open to their end, or close them. Then wait for the seconds in the Retry-After header.',
  },
  subscription_limit_reached: {
    meaning:
      'The application or the tenant has the maximum number of webhook subscriptions. The detail names which, and the number.',
    action: 'Delete a subscription that is no longer used.',
  },
}
