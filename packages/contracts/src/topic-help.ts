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
      'The current version or the draft of an event names the topic, or a published event sends it on a channel that the change would remove from the topic.',
    action:
      'Change the events that the detail names: set another topic or none, or remove the channel, and publish them. Then delete or change the topic.',
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
    meaning: 'This installation did not create the link, or the link is incomplete or was changed.',
    action: 'Open the complete link from the message.',
  },
  recipient_opted_out: {
    meaning: 'The recipient has switched the topic off for this channel.',
    action: 'Do not send this to the recipient. POST /api/v1/preferences/explain shows which choice decided.',
  },
}
