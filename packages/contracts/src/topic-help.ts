import type { ErrorCode, ErrorHelp } from './errors.ts'

type TopicCode = Exclude<
  Extract<ErrorCode, `topic_${string}` | 'recipient_opted_out' | 'link_not_valid'>,
  `${string}_limit_reached`
>

/** The help text of errors about topics and what recipients switched off. */
export const topicHelp: Readonly<Record<TopicCode, ErrorHelp>> = {
  topic_not_found: {
    meaning: 'The application has no topic with this topic_key.',
    action: 'Check the topic_key, or create the topic first.',
  },
  topic_exists: {
    meaning: 'The application already has a topic with this topic_key.',
    action: 'Change the existing topic, or choose another topic_key.',
  },
  topic_in_use: {
    meaning:
      'An event of the application names the topic, in its current version or its draft; or a published one sends it by a channel that it would no longer list.',
    action:
      'Give the events that the detail names another topic, or none, or fewer channels, and publish them. Then delete or change the topic.',
  },
  topic_required: {
    meaning: 'The application accepts bulk messages only with a topic, and the request or its event names none.',
    action: 'Name a topic in the request, or in the event. The setting is bulk_requires_topic of the application.',
  },
  topic_is_required: {
    meaning: 'Recipients cannot switch the topic off, because its kind is required.',
    action: 'Offer no switch for the topic, or change its kind.',
  },
  link_not_valid: {
    meaning: 'The link was not made by this installation, or was changed or cut on its way.',
    action: 'Open the link as it stands in the message.',
  },
  recipient_opted_out: {
    meaning: 'The recipient has switched the topic off for this channel.',
    action: 'Do not send this to the recipient. POST /api/v1/preferences/explain shows which choice decided.',
  },
}
