// Generated from content/openapi.json by npm run generate. Do not edit.
export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the public keys that verify user tokens (RFC 7517)
         * @description Open to anyone.
         */
        get: operations["getUserTokenKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List delivery activity of all applications and channels, newest first
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an activity item with its delivery attempts
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the rendered content of a notification. Each look is recorded in the audit log, but not its repetition under the same Idempotency-Key.
         * @description Requires an operator's access token with the permission `content:read`.
         */
        post: operations["readContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed notification
         * @description Requires an operator's access token with the permission `activity:retry`.
         */
        post: operations["retryActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the activity as a file, newest first
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["exportActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/retries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List retry jobs, newest first
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["listRetryJobs"];
        put?: never;
        /**
         * Create a job that retries all matching failed items at a limited rate
         * @description Requires an operator's access token with the permission `activity:retry`.
         */
        post: operations["createRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/retries/jobs/{retry_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a retry job with its progress
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["getRetryJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/retries/jobs/{retry_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a retry job. Items that it has already retried are not affected.
         * @description Requires an operator's access token with the permission `activity:retry`.
         */
        post: operations["cancelRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activity/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count items by channel and present status, for each hour or day (UTC) of their creation
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["summarizeActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the applications of the tenant, newest first
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        get: operations["listApplications"];
        put?: never;
        /**
         * Create an application
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        post: operations["createApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an application
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        get: operations["getApplication"];
        put?: never;
        post?: never;
        /**
         * Delete an application with its webhook subscriptions, cancel its broadcasts, and revoke its API keys and the tokens of its users. Its other accepted messages are still sent, and its providers and activity are kept. Its lists are deleted within minutes, and its users after 31 days.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        delete: operations["deleteApplication"];
        options?: never;
        head?: never;
        /**
         * Change an application. Fields that are absent keep their values, within otp too; null removes a setting of otp.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        patch: operations["changeApplication"];
        trace?: never;
    };
    "/api/v1/applications/{application_id}/digests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the digests of an application that are not sent yet, newest first
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["listDigests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/digests/{digest_id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a digest now. It is sent within seconds.
         * @description Requires an operator's access token with the permission `activity:retry`.
         */
        post: operations["closeDigest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of an application by key
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listEvents"];
        put?: never;
        /**
         * Create an event of an application
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["createEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an event with its templates and its draft
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getEvent"];
        /**
         * Save a draft of an event. Sends use the published version until the draft is published.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        put: operations["replaceEvent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate an event. Notifications that were accepted before are still sent.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["deactivateEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the templates of an event without sending
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["previewEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the draft of an event as a new version, or activate an inactive event
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["publishEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message of an event to your own number or address, and return the answer of the carrier
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["sendEventTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the translations of an event: of its draft, or of the current version without one
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listEventTranslations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/translations/{locale}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a translation of an event as a file for translators
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getEventTranslation"];
        /**
         * Save a translation in the draft of an event. Sends use it once the draft is published.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        put: operations["putEventTranslation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the published versions of an event, newest first
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listEventVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a published version of an event
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getEventVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/events/{event_key}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back an event: publish the content of an earlier version as a new version. The draft is kept.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["restoreEventVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of an application, including revoked ones, newest first
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key. The response is the only one that contains the key.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an API key, without its secret
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key. It stops working within a second.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the name, permissions or rate limit of an API key. Applies within a second.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        patch: operations["changeApiKey"];
        trace?: never;
    };
    "/api/v1/applications/{application_id}/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key. The old and the new key both work until the overlap ends; until then neither can be rotated again.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/recipients/{recipient_token}/preference-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every choice of the user or the address that a token stands for, and of what the user record links, newest first
         * @description Requires an operator's access token with the permission `consents:read`.
         */
        get: operations["listPreferenceChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/recipients/{recipient_token}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the preferences of the user or the address that a token stands for, with what the user record links
         * @description Requires an operator's access token with the permission `consents:read`.
         */
        get: operations["getRecipientPreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests with the API keys of an application, newest first, of the last 7 days
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["listApiRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the topics of an application by key
         * @description Requires an operator's access token with the permission `topics:manage`.
         */
        get: operations["listTopics"];
        put?: never;
        /**
         * Create a topic, which recipients may switch off
         * @description Requires an operator's access token with the permission `topics:manage`.
         */
        post: operations["createTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/applications/{application_id}/topics/{topic_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a topic
         * @description Requires an operator's access token with the permission `topics:manage`.
         */
        get: operations["getTopic"];
        /**
         * Change a topic. It takes effect for accepted messages too.
         * @description Requires an operator's access token with the permission `topics:manage`.
         */
        put: operations["replaceTopic"];
        post?: never;
        /**
         * Delete a topic that no event names. The choices of recipients are kept, for a topic of the same key.
         * @description Requires an operator's access token with the permission `topics:manage`.
         */
        delete: operations["deleteTopic"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List configuration changes, newest first
         * @description Requires an operator's access token with the permission `audit:read`.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-log/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export configuration changes as JSON lines, newest first
         * @description Requires an operator's access token with the permission `audit:read`.
         */
        get: operations["exportAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/broadcasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List broadcasts, newest first
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:read`.
         */
        get: operations["listBroadcasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/broadcasts/{broadcast_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a broadcast with its progress
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:read`.
         */
        get: operations["getBroadcast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/broadcasts/{broadcast_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a broadcast with its notifications that no carrier has been given yet
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:retry`.
         */
        post: operations["cancelBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/broadcasts/{broadcast_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a broadcast. Notifications that are accepted already are sent.
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:retry`.
         */
        post: operations["pauseBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/broadcasts/{broadcast_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused broadcast
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:retry`.
         */
        post: operations["resumeBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sending domains of the tenant, newest first
         * @description Requires a live API key with the permission `domains:manage`, or an operator's access token with the permission `domains:manage`.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a sending domain. The response lists the DNS records to publish.
         * @description Requires a live API key with the permission `domains:manage`, or an operator's access token with the permission `domains:manage`.
         */
        post: operations["createDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a sending domain and its DNS records
         * @description Requires a live API key with the permission `domains:manage`, or an operator's access token with the permission `domains:manage`.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Delete a sending domain and its DKIM keys
         * @description Requires a live API key with the permission `domains:manage`, or an operator's access token with the permission `domains:manage`.
         */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a sending domain by looking up its DNS records now
         * @description Requires a live API key with the permission `domains:manage`, or an operator's access token with the permission `domains:manage`.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the most frequent failures by provider and code of the carrier, with their trend
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the application of an API key, a request or an event, by the whole id or key
         * @description Requires an operator's access token with the permission `activity:read`.
         */
        get: operations["findById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/in-app/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream inbox events of the user. Last-Event-ID replays missed events.
         * @description Requires an end user's token.
         */
        get: operations["streamInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/in-app/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a user token for the inbox and the live stream
         * @description Requires an API key with the permission `inbox:token`.
         */
        post: operations["createUserToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notifications of the user, newest first
         * @description Requires an end user's token.
         */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a notification from the inbox
         * @description Requires an end user's token.
         */
        delete: operations["deleteInboxNotification"];
        options?: never;
        head?: never;
        /**
         * Mark a notification as read or unread
         * @description Requires an end user's token.
         */
        patch: operations["markInboxNotification"];
        trace?: never;
    };
    "/api/v1/inbox/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark all notifications as read
         * @description Requires an end user's token.
         */
        post: operations["readWholeInbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/unread-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the unread notifications of the user
         * @description Requires an end user's token.
         */
        get: operations["getUnreadCount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/layouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List layouts of emails of the tenant, newest first
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listLayouts"];
        put?: never;
        /**
         * Create a layout of emails
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["createLayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/layouts/{layout_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a layout
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getLayout"];
        /**
         * Replace a layout. Notifications accepted before keep their content.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        put: operations["replaceLayout"];
        post?: never;
        /**
         * Delete a layout that no event and no stored template uses, with its versions
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        delete: operations["deleteLayout"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/layouts/{layout_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a layout around a text, without sending
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["previewLayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/layouts/{layout_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a layout, newest first
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listLayoutVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/layouts/{layout_id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a version of a layout
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getLayoutVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the lists of users, newest first
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:read`.
         */
        get: operations["listLists"];
        put?: never;
        /**
         * Create a list of users
         * @description Requires an API key with the permission `lists:manage`.
         */
        post: operations["createList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lists/{list_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a list
         * @description Requires an API key with the permission `lists:manage`, or an operator's access token with the permission `activity:read`.
         */
        get: operations["getList"];
        put?: never;
        post?: never;
        /**
         * Delete a list with its members. Broadcasts to it end.
         * @description Requires an API key with the permission `lists:manage`.
         */
        delete: operations["deleteList"];
        options?: never;
        head?: never;
        /**
         * Rename a list
         * @description Requires an API key with the permission `lists:manage`.
         */
        patch: operations["changeList"];
        trace?: never;
    };
    "/api/v1/lists/{list_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a list, in no meaningful order. Pages of 1,000 export it.
         * @description Requires an API key with the permission `lists:manage`.
         */
        get: operations["listMembers"];
        /**
         * Add up to 1,000 members to a list. Known members get the new data.
         * @description Requires an API key with the permission `lists:manage`.
         */
        put: operations["putMembers"];
        post?: never;
        /**
         * Remove a member from a list
         * @description Requires an API key with the permission `lists:manage`.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lists/{list_id}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a notification to each member of a list, in the bulk lane
         * @description Requires an API key with the permission `lists:manage`.
         */
        post: operations["createBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the caller: kind, tenant and permissions
         * @description Requires an API key or an operator's access token.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a notification
         * @description Requires an API key with the permission `notifications:send`.
         */
        post: operations["createNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/{notification_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a notification and its attempts
         * @description Requires an API key with the permission `notifications:read`.
         */
        get: operations["getNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/{notification_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a scheduled notification
         * @description Requires an API key with the permission `notifications:send`.
         */
        post: operations["cancelNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send up to 100 notifications. Each is accepted or refused on its own; results are in request order.
         * @description Requires an API key with the permission `notifications:send`.
         */
        post: operations["createNotificationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the names and email addresses of operators, by id
         * @description Requires an operator's access token with the permission `audit:read`.
         */
        get: operations["listOperators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operators/{operator_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase an operator's name and email address. The audit log keeps the id.
         * @description Requires an operator's access token with the permission `applications:manage`.
         */
        delete: operations["eraseOperator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the state of a one-time code
         * @description Requires an API key with the permission `otp:send`.
         */
        get: operations["getOtp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/{transaction_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a new code for a transaction. The earlier code becomes invalid, unless the request is refused.
         * @description Requires an API key with the permission `otp:send`.
         */
        post: operations["resendOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a one-time code. The response is sent after the commit of its message.
         * @description Requires an API key with the permission `otp:send`.
         */
        post: operations["sendOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a one-time code. A code verifies once; five wrong codes lock the transaction.
         * @description Requires an API key with the permission `otp:verify`.
         */
        post: operations["verifyOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the user's own preferences
         * @description Requires an end user's token.
         */
        get: operations["getOwnPreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the user's own preferences. Messages that are not sent yet follow them.
         * @description Requires an end user's token.
         */
        patch: operations["changeOwnPreferences"];
        trace?: never;
    };
    "/api/v1/preferences/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain whether a message of a topic would be sent: everything that is checked, in order, and what decides
         * @description Requires an API key with the permission `recipients:manage`, or an operator's access token with the permission `consents:read`.
         */
        post: operations["explainPreference"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/preferences/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import up to 1,000 choices of recipients. If one of them is invalid, none is imported.
         * @description Requires an API key with the permission `recipients:manage`.
         */
        post: operations["importPreferences"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/preferences/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retrieve the preferences of an address, of a user, or of both together
         * @description Requires an API key with the permission `recipients:manage`.
         */
        post: operations["lookUpPreferences"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of providers with the schemas of their credentials
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        get: operations["listProviderKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the providers of the tenant, newest first
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        get: operations["listProviders"];
        put?: never;
        /**
         * Add a provider. Messages are sent through it within a second.
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        post: operations["createProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a provider
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        /**
         * Delete a provider. Receipts of its earlier messages are processed for seven more days.
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        delete: operations["deleteProvider"];
        options?: never;
        head?: never;
        /**
         * Change the name, priority, weight, rate limit or credentials of a provider
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        patch: operations["changeProvider"];
        trace?: never;
    };
    "/api/v1/providers/{provider_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret. The previous one also signs for 24 hours; at most three sign at a time.
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        post: operations["rotateProviderSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the carrier with the credentials of a provider, without sending a message
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        post: operations["testProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_id}/test-message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message through a provider to your own number or address, and return the answer of the carrier
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        post: operations["sendProviderTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recipients/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return the token of a recipient, by which lists are filtered without its number or address in the URL
         * @description Requires an API key or an operator's access token.
         */
        post: operations["lookUpRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressed recipients, newest first
         * @description Requires an operator's access token with the permission `consents:read`.
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress a recipient. Suppressing it again returns the existing suppression.
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        post: operations["addSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions/{suppression_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Lift a suppression
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        delete: operations["liftSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List stored templates of the tenant, newest first
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a stored template
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{template_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a stored template
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getTemplate"];
        /**
         * Replace a stored template. Notifications accepted before keep their content.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        put: operations["replaceTemplate"];
        post?: never;
        /**
         * Delete a stored template. Notifications accepted before keep their content.
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{template_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a stored template without sending
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        post: operations["previewTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{template_id}/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the translations of a stored template
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["listTemplateTranslations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{template_id}/translations/{locale}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a translation of a stored template as a file for translators
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        get: operations["getTemplateTranslation"];
        /**
         * Save a translation of a stored template; sends use it at once
         * @description Requires an operator's access token with the permission `events:manage`.
         */
        put: operations["putTemplateTranslation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages and credits by period, application, channel and category
         * @description Requires an operator's access token with the permission `usage:read`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages and credits by period, application, channel and language, of messages whose language is known
         * @description Requires an operator's access token with the permission `usage:read`.
         */
        get: operations["listUsageLocales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all messages of live keys by period, application and channel, charged and not, with their cost
         * @description Requires an operator's access token with the permission `usage:read`.
         */
        get: operations["listUsageMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the price list of the tenant
         * @description Requires an operator's access token with the permission `usage:read`.
         */
        get: operations["getPrices"];
        /**
         * Replace the price list of the tenant. Costs of all periods are shown with it.
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        put: operations["putPrices"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a user with the addresses that notifications may name by `user_id`
         * @description Requires an API key with the permission `recipients:manage`.
         */
        get: operations["getRecipient"];
        /**
         * Create a user or replace it as a whole. Notifications accepted before keep their address, except for items of a digest.
         * @description Requires an API key with the permission `recipients:manage`.
         */
        put: operations["putRecipient"];
        post?: never;
        /**
         * Delete a user. Notifications accepted before keep their address, except for items of a digest.
         * @description Requires an API key with the permission `recipients:manage`.
         */
        delete: operations["deleteRecipient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the preferences of a user
         * @description Requires an API key with the permission `recipients:manage`.
         */
        get: operations["getUserPreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the preferences of a user. Messages that are not sent yet follow them.
         * @description Requires an API key with the permission `recipients:manage`.
         */
        patch: operations["changeUserPreferences"];
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook delivery with its newest attempts
         * @description Requires an operator's access token with the permission `webhooks:manage`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a finished delivery under the same id, also one that has arrived. The state of its notification stays.
         * @description Requires an operator's access token with the permission `webhooks:manage`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook subscriptions, newest first: for API keys those of the application, for operators those of the tenant
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Create a webhook subscription. Without provider_id the response contains a new signing secret, shown once.
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-subscriptions/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook subscription
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        get: operations["getWebhookSubscription"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook subscription with its deliveries
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        delete: operations["deleteWebhookSubscription"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook subscription
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        patch: operations["changeWebhookSubscription"];
        trace?: never;
    };
    "/api/v1/webhook-subscriptions/{subscription_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a subscription, newest first
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-subscriptions/{subscription_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay all deliveries exhausted since a given time, in the background at a limited rate
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        post: operations["replayWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-subscriptions/{subscription_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret. The previous one also signs for 24 hours; at most three sign at a time.
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-subscriptions/{subscription_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to the subscription
         * @description Requires a live API key with the permission `webhooks:manage`, or an operator's access token with the permission `webhooks:manage`.
         */
        post: operations["testWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whatsapp/opt-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of the consent ledger, newest first
         * @description Requires an API key with the permission `notifications:read`, or an operator's access token with the permission `consents:read`.
         */
        get: operations["listOptIns"];
        put?: never;
        /**
         * Record an opt-in to WhatsApp messages
         * @description Requires an API key with the permission `notifications:send`, or an operator's access token with the permission `providers:manage`.
         */
        post: operations["createOptIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whatsapp/opt-ins/{phone_e164}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the consent of a phone number with its latest ledger entries
         * @description Requires an API key with the permission `notifications:read`, or an operator's access token with the permission `consents:read`.
         */
        get: operations["getOptIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whatsapp/opt-outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record an opt-out that was requested outside WhatsApp
         * @description Requires an API key with the permission `notifications:send`, or an operator's access token with the permission `providers:manage`.
         */
        post: operations["createOptOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whatsapp/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List WhatsApp templates with their approval state
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        get: operations["listWhatsAppTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whatsapp/templates/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Synchronize WhatsApp templates of all accounts with the carrier
         * @description Requires an operator's access token with the permission `providers:manage`.
         */
        post: operations["syncWhatsAppTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/u/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the page of a link in a message. Opening it changes nothing, because programs that scan email follow links.
         * @description Open to anyone.
         */
        get: operations["showPreferenceLink"];
        put?: never;
        /**
         * Unsubscribe by one click (RFC 8058), or save the choices of the page
         * @description Open to anyone.
         */
        post: operations["followPreferenceLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Jwks: {
            keys: {
                [key: string]: unknown;
            }[];
        };
        ActivityList: {
            total_count: number;
            /** @description Whether there are more matches than total_count. Counting stops at 10000 for filters by recipient, by locale, by broadcast_id, by digest_id, by event_key within a time range, and for ranges with more than 10000 items in their first or last hour. */
            total_count_capped: boolean;
            page: number;
            items: components["schemas"]["ActivityItem"][];
            next_cursor: string | null;
        };
        ActivityItem: {
            transaction_id: string;
            application_name: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            recipient_masked: string;
            /** @description Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, so that no address can be found from it. Null after an erasure. */
            recipient_tag: string | null;
            /** @description Null without an event, and for codes */
            event_key: string | null;
            /** @enum {string} */
            status: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
            failure_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /** @description Whether it permitted a retry at its last change. A retry is refused if since then the recipient was suppressed or has opted out, the notification has expired, or its broadcast was cancelled; GET /activity/{id} shows that */
            retryable: boolean;
            retry_count: number;
            /** @description Language of its text; null where it is not known */
            locale: string | null;
            /** @description The locale of the request */
            requested_locale: string | null;
            /** @description The broadcast that sent it */
            broadcast_id: string | null;
            /** @description The digest that the notification is an item of, or the message of */
            digest_id: string | null;
            /**
             * @description Mode of the API key that sent it. Messages of test keys go to the carrier sandbox only.
             * @enum {string}
             */
            mode: "live" | "test";
        };
        ActivityDetail: {
            transaction_id: string;
            application_name: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            recipient_masked: string;
            /** @description Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, so that no address can be found from it. Null after an erasure. */
            recipient_tag: string | null;
            /** @description Null without an event, and for codes */
            event_key: string | null;
            /** @enum {string} */
            status: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
            failure_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /** @description Whether a retry would be accepted now: not once the recipient is suppressed or has opted out, the notification has expired, or its broadcast was cancelled */
            retryable: boolean;
            retry_count: number;
            /** @description Language of its text; null where it is not known */
            locale: string | null;
            /** @description The locale of the request */
            requested_locale: string | null;
            /** @description The broadcast that sent it */
            broadcast_id: string | null;
            /** @description The digest that the notification is an item of, or the message of */
            digest_id: string | null;
            /**
             * @description Mode of the API key that sent it. Messages of test keys go to the carrier sandbox only.
             * @enum {string}
             */
            mode: "live" | "test";
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /** @description W3C trace id of the request that sent it */
            trace_id: string | null;
            /** @description Oldest first. In-app notifications have none: they are delivered when they are stored. */
            attempts: components["schemas"]["ActivityAttempt"][];
            /** @description null for notifications, and for codes deleted after 30 days */
            otp: {
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expires_at: string;
                verified_at: string | null;
                attempts_remaining: number;
                resends_remaining: number;
            } | null;
        };
        ActivityAttempt: {
            attempt_id: string;
            /**
             * @description The message of the attempt; a code has one message for each send
             * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            notification_id: string;
            /** @description The delivery of a send by the channel webhook, which webhook-deliveries shows and replays */
            delivery_id: string | null;
            number: number;
            provider_id: string | null;
            provider_name: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            started_at: string;
            finished_at: string | null;
            /** @description null while in progress */
            outcome: ("accepted" | "rejected_permanent" | "rejected_retryable" | "unknown") | null;
            ambiguous: boolean;
            /** @description The carrier's code, or the HTTP status of a webhook's answer */
            provider_code: string | null;
            provider_message: string | null;
            /** @description The carrier's id of the message. In ids of WhatsApp `x` replaces the digits of the phone number */
            provider_message_id: string | null;
            /** @description The carrier's reports, kept for 7 days; null when they cannot be read at the moment */
            receipts: {
                /** @enum {string} */
                status: "sent" | "delivered" | "undelivered" | "failed" | "read" | "delayed" | "complained" | "unsubscribed";
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                received_at: string;
            }[] | null;
        };
        SentContent: {
            /**
             * @description Identifier of the form notif_<26 characters>
             * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            notification_id: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description The content that was sent to the carrier, without recipients, files and the code of a button */
            content: {
                [key: string]: components["schemas"]["JsonValue"];
            };
        };
        JsonValue: unknown;
        RetryQueued: {
            /** @constant */
            status: "retry_queued";
            transaction_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            queued_at: string;
        };
        ExportedItem: {
            transaction_id: string;
            application_name: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            recipient_masked: string;
            /** @description Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, so that no address can be found from it. Null after an erasure. */
            recipient_tag: string | null;
            /** @description Null without an event, and for codes */
            event_key: string | null;
            /** @enum {string} */
            status: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
            failure_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /** @description Whether it permitted a retry at its last change. A retry is refused if since then the recipient was suppressed or has opted out, the notification has expired, or its broadcast was cancelled; GET /activity/{id} shows that */
            retryable: boolean;
            retry_count: number;
            /** @description Language of its text; null where it is not known */
            locale: string | null;
            /** @description The locale of the request */
            requested_locale: string | null;
            /** @description The broadcast that sent it */
            broadcast_id: string | null;
            /** @description The digest that the notification is an item of, or the message of */
            digest_id: string | null;
            /**
             * @description Mode of the API key that sent it. Messages of test keys go to the carrier sandbox only.
             * @enum {string}
             */
            mode: "live" | "test";
            /** @description Of the last attempt; null where no carrier is called */
            provider_id: string | null;
            provider_name: string | null;
            /** @description Credits charged; null for codes older than 30 days */
            credits: number | null;
            /** @description Parts of an SMS, of a code those of all its messages; null for other channels, and once the message is deleted */
            segments: number | null;
            /**
             * @description By the price list, once a carrier has taken it; null without a price, for test keys, for codes older than 30 days, and for SMS and WhatsApp messages that are deleted: 30 days after their end by default
             * @example 0.05
             */
            cost: string | null;
            currency: string | null;
        };
        RetryJobList: {
            items: components["schemas"]["RetryJob"][];
            next_cursor: string | null;
        };
        RetryJob: {
            /**
             * @description Identifier of the form retry_<26 characters>
             * @example retry_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            retry_id: string;
            /** @enum {string} */
            status: "waiting" | "running" | "completed" | "cancelled";
            filters: {
                channel?: string;
                status?: string;
                application_id?: string;
                event_key?: string;
                mode?: string;
                recipient_masked?: string;
                locale?: string;
                broadcast_id?: string;
                digest_id?: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                to?: string;
            };
            /** @description Items that matched when the job was created */
            count: number;
            count_capped: boolean;
            /** @description Items that the job has processed */
            processed: number;
            retried: number;
            /** @description Items that could no longer be retried, such as those of a suppressed recipient */
            skipped: number;
            /** @description The operator's pseudonym */
            requested_by: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            finished_at: string | null;
        };
        RetryJobCount: {
            count: number;
            count_capped: boolean;
        };
        RetryJobRequest: {
            /** @enum {string} */
            channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @enum {string} */
            status?: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id?: string;
            /**
             * @description Key of a published event of the application
             * @example order.shipped
             */
            event_key?: string;
            /** @enum {string} */
            mode?: "live" | "test";
            /** @description The complete recipient: E.164 number, email address, user id or URL. Looked up by its keyed hash. */
            recipient?: string;
            /**
             * @description In place of recipient: see POST /recipients/lookup
             * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
             */
            recipient_token?: string;
            /**
             * @description Language of the text
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description The broadcast that sent it
             * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            broadcast_id?: string;
            /**
             * @description The digest that the notification is an item of, or the message of
             * @example dig_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            digest_id?: string;
            /**
             * Format: date-time
             * @description Created at this time or later
             * @example 2026-11-21T00:00:00Z
             */
            from?: string;
            /**
             * Format: date-time
             * @description Created before this time
             * @example 2026-11-22T00:00:00Z
             */
            to?: string;
            /**
             * @description Returns the count and retries nothing
             * @default false
             */
            dry_run?: boolean;
        };
        ActivitySummary: {
            /** @enum {string} */
            interval: "hour" | "day";
            /**
             * Format: date-time
             * @description Start of the first bucket
             * @example 2026-11-21T09:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last bucket
             * @example 2026-11-21T09:30:00.000Z
             */
            to: string;
            buckets: {
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:00:00.000Z
                 */
                starts_at: string;
                counts: {
                    /** @enum {string} */
                    channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                    /** @enum {string} */
                    status: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
                    count: number;
                }[];
            }[];
        };
        ApplicationList: {
            items: components["schemas"]["Application"][];
            next_cursor: string | null;
        };
        Application: {
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            name: string;
            allowed_origins: string[];
            otp: {
                /** @description Prefixes of the numbers that codes may be sent to. Default: all numbers */
                allowed_countries?: string[];
                /**
                 * @description Host of the site where users enter the code; browsers fill it in there
                 * @example shop.example
                 */
                autofill_host?: string;
                /** @description Most codes that the application sends in a minute */
                sends_per_minute?: number;
            };
            default_locale: string | null;
            default_time_zone: string | null;
            bulk_requires_topic: boolean;
            brand: {
                /**
                 * @description Color of buttons and links
                 * @example #0a5dc2
                 */
                color?: string;
                /**
                 * Format: uri
                 * @description Address of the logo
                 * @example https://shop.example/logo.svg
                 */
                logo_url?: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        OpenDigestList: {
            items: components["schemas"]["OpenDigest"][];
            next_cursor: string | null;
        };
        OpenDigest: {
            /**
             * @description Identifier of the form dig_<26 characters>
             * @example dig_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            digest_id: string;
            event_key: string;
            /** @enum {string} */
            mode: "live" | "test";
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @enum {string} */
            priority: "transactional" | "bulk";
            recipient_masked: string;
            /**
             * @description Messages that wait for it
             * @example 3
             */
            items: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            opened_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            closes_at: string;
        };
        EventList: {
            items: components["schemas"]["EventSummary"][];
            next_cursor: string | null;
        };
        EventSummary: {
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * @description Key of a published event of the application
             * @example order.shipped
             */
            event_key: string;
            name: string;
            /** @enum {string} */
            status: "draft" | "published" | "inactive";
            /** @description The current version. For a draft: the version that publishing creates. */
            version: number;
            allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /** @description Whether there are changes that are not published yet */
            has_draft: boolean;
        };
        Event: {
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * @description Key of a published event of the application
             * @example order.shipped
             */
            event_key: string;
            name: string;
            /** @enum {string} */
            status: "draft" | "published" | "inactive";
            /** @description The current version. For a draft: the version that publishing creates. */
            version: number;
            allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            templates: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
            topic: string | null;
            digest: components["schemas"]["Digest"] | null;
            /** @description Changes since the current version, which publishing applies. Null: none. */
            draft: {
                name: string;
                allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
                templates: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
                /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
                translations: {
                    [key: string]: {
                        email?: {
                            subject: string;
                            /** @description Made from `html_body` where it is absent */
                            body?: string;
                            html_body?: string;
                            /** @description What lists of messages show after the subject; requires `html_body` */
                            preheader?: string;
                            /**
                             * @description The layout around its texts
                             * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                             */
                            layout_id?: string;
                        };
                        sms?: {
                            body: string;
                        };
                        whatsapp?: {
                            template_name: string;
                            language: string;
                            /** @enum {string} */
                            category: "marketing" | "utility" | "authentication";
                            /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                            parameters: string[] | {
                                [key: string]: string;
                            };
                            /** @description Required if the header of the template has a placeholder or is a file */
                            header?: {
                                /** @enum {string} */
                                type: "text" | "image" | "video" | "document";
                                /** @description Text of the placeholder; of a file its https address */
                                value: string;
                                /** @description Of a named placeholder */
                                name?: string;
                            };
                            /** @description Buttons of the template that have a placeholder */
                            buttons?: {
                                /** @description Position among the buttons of the template */
                                index: number;
                                /** @enum {string} */
                                type: "url" | "copy_code";
                                /** @description End of the address, or the code to copy */
                                value: string;
                            }[];
                        };
                        in_app?: {
                            title: string;
                            body: string;
                            data?: {
                                [key: string]: components["schemas"]["JsonValue"];
                            };
                        };
                        webhook?: {
                            data: {
                                [key: string]: components["schemas"]["JsonValue"];
                            };
                        };
                    };
                };
                topic: string | null;
                digest: components["schemas"]["Digest"] | null;
            } | null;
        };
        Digest: {
            /**
             * @description Variable of data: items with different values are in different digests
             * @example post
             */
            key?: string;
            window: {
                /**
                 * @description After the first item
                 * @example 3600
                 */
                seconds?: number;
                /**
                 * @description The next time that the clock shows it
                 * @example 09:00
                 */
                daily?: string;
                weekly?: {
                    /** @enum {string} */
                    day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                    /** @example 09:00 */
                    at: string;
                };
            };
            /**
             * @description Whether each item begins the window again, up to `max_wait` after the first
             * @default false
             */
            sliding: boolean;
            /**
             * @description Seconds; required by `sliding`
             * @example 14400
             */
            max_wait?: number;
            /**
             * @description `now`: an item that comes outside of a window is sent at once and begins one
             * @default wait
             * @enum {string}
             */
            first: "now" | "wait";
            /**
             * @description Most items that the template gets; `total` counts all
             * @default 10
             * @example 10
             */
            show: number;
        };
        NewEvent: {
            /**
             * @description Key of a published event of the application
             * @example order.shipped
             */
            event_key: string;
            name: string;
            /** @description Channels that notifications of the event may use */
            allowed_channels?: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /** @default {} */
            templates?: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations?: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
            /** @description Topic that recipients may switch off; null: none. Absent in a request: it stays as it is. */
            topic?: string | null;
            /** @description Puts messages to one recipient together; null: each is sent alone. Absent in a request: it stays as it is. */
            digest?: components["schemas"]["Digest"] | null;
            /**
             * @description Any status but draft publishes the first version
             * @default draft
             * @enum {string}
             */
            status?: "draft" | "published" | "inactive";
            /**
             * @description Number of the first version
             * @default 1
             */
            version?: number;
        };
        EventContent: {
            name: string;
            /** @description Channels that notifications of the event may use */
            allowed_channels?: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /** @default {} */
            templates?: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations?: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
            /** @description Topic that recipients may switch off; null: none. Absent in a request: it stays as it is. */
            topic?: string | null;
            /** @description Puts messages to one recipient together; null: each is sent alone. Absent in a request: it stays as it is. */
            digest?: components["schemas"]["Digest"] | null;
        };
        SmsSegments: {
            /** @enum {string} */
            encoding: "GSM-7" | "UCS-2";
            segments: number;
            /** @description The first characters that the GSM alphabet does not have */
            outside: string[];
        };
        WhatsAppTemplateContent: {
            header: {
                /** @description In lower case: `text`, `image`, `video`, `document` or `location` */
                format: string;
                /** @description Null where the header is a file */
                text: string | null;
            } | null;
            body: string;
            footer: string | null;
            buttons: {
                /** @description In lower case, as the carrier says it: `url`, `quick_reply`, `copy_code`… */
                type: string;
                text: string;
                url: string | null;
            }[];
            /** @description Further components in lower case, such as `carousel`; a template that has any cannot be sent */
            other_components?: string[];
        };
        EventPreview: {
            /**
             * @description Channel to preview. Default: all channels with a template.
             * @enum {string}
             */
            channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /**
             * @description Variables, as in a notification
             * @default {}
             */
            data?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * @description Language of the recipient: shows the text that a message with this locale would have, each channel in its translation
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description Default: UTC
             * @example Europe/Berlin
             */
            time_zone?: string;
            /** @description Published version to preview. Default: the draft, or the current version without one. */
            version?: number;
            /** @description Templates to preview in place of the stored ones. They are not saved. */
            templates?: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
        };
        PublishedEvent: {
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * @description Key of a published event of the application
             * @example order.shipped
             */
            event_key: string;
            name: string;
            /** @enum {string} */
            status: "draft" | "published" | "inactive";
            /** @description The current version. For a draft: the version that publishing creates. */
            version: number;
            allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            templates: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
            topic: string | null;
            digest: components["schemas"]["Digest"] | null;
            /** @description Changes since the current version, which publishing applies. Null: none. */
            draft: {
                name: string;
                allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
                templates: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
                /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
                translations: {
                    [key: string]: {
                        email?: {
                            subject: string;
                            /** @description Made from `html_body` where it is absent */
                            body?: string;
                            html_body?: string;
                            /** @description What lists of messages show after the subject; requires `html_body` */
                            preheader?: string;
                            /**
                             * @description The layout around its texts
                             * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                             */
                            layout_id?: string;
                        };
                        sms?: {
                            body: string;
                        };
                        whatsapp?: {
                            template_name: string;
                            language: string;
                            /** @enum {string} */
                            category: "marketing" | "utility" | "authentication";
                            /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                            parameters: string[] | {
                                [key: string]: string;
                            };
                            /** @description Required if the header of the template has a placeholder or is a file */
                            header?: {
                                /** @enum {string} */
                                type: "text" | "image" | "video" | "document";
                                /** @description Text of the placeholder; of a file its https address */
                                value: string;
                                /** @description Of a named placeholder */
                                name?: string;
                            };
                            /** @description Buttons of the template that have a placeholder */
                            buttons?: {
                                /** @description Position among the buttons of the template */
                                index: number;
                                /** @enum {string} */
                                type: "url" | "copy_code";
                                /** @description End of the address, or the code to copy */
                                value: string;
                            }[];
                        };
                        in_app?: {
                            title: string;
                            body: string;
                            data?: {
                                [key: string]: components["schemas"]["JsonValue"];
                            };
                        };
                        webhook?: {
                            data: {
                                [key: string]: components["schemas"]["JsonValue"];
                            };
                        };
                    };
                };
                topic: string | null;
                digest: components["schemas"]["Digest"] | null;
            } | null;
            warnings: {
                locale: string;
                /** @enum {string} */
                channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /** @enum {string} */
                warning: "missing" | "outdated";
            }[];
        };
        TestMessage: {
            /** @constant */
            is_test: true;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            recipient_masked: string;
            /** @description Language of the translation that was sent; null: no translation */
            locale: string | null;
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            kind: string;
            /** @enum {string} */
            outcome: "accepted" | "rejected_permanent" | "rejected_retryable" | "unknown";
            /** @description The carrier's code */
            code: string | null;
            /** @description The carrier's answer as text */
            message: string | null;
            provider_message_id: string | null;
            sms_segments: components["schemas"]["SmsSegments"] | null;
            duration_ms: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            sent_at: string;
        };
        EventTest: {
            /**
             * @description A channel with a carrier: not in-app and webhook
             * @enum {string}
             */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description Your own number (E.164) or email address. It must not be suppressed; on WhatsApp it must have opted in. */
            recipient: string;
            /**
             * @description Variables, as in a notification
             * @default {}
             */
            data?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @example pt-BR */
            locale?: string;
            /**
             * @description Default: UTC
             * @example Europe/Berlin
             */
            time_zone?: string;
            /** @description Templates to send in place of the draft, or of the current version without one */
            templates?: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
        };
        TranslationCoverage: {
            /** @description The state of the templates that the texts were made from. Opaque; compared with their present state. */
            based_on: string;
            /**
             * @description The texts of the templates, as the start of a new translation
             * @example {
             *       "email.subject": "Pedido {{order}}",
             *       "email.body": "Olá {{name}}"
             *     }
             */
            texts: {
                [key: string]: string;
            };
            translations: {
                locale: string;
                channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
                /** @description They are sent in another language */
                missing_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
                /** @description Their templates have changed since */
                outdated_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            }[];
        };
        TranslationFile: {
            /** @description The state of the templates that the texts were made from. Opaque; compared with their present state. */
            based_on: string;
            /**
             * @description Texts by their location in the templates
             * @example {
             *       "email.subject": "Pedido {{order}}",
             *       "email.body": "Olá {{name}}"
             *     }
             */
            texts: {
                [key: string]: string;
            };
        };
        NewTranslationFile: {
            /** @description As read before. Default: the present templates */
            based_on?: string;
            /**
             * @description Texts by location: all texts of a channel or none of them. Without texts the translation is removed
             * @example {
             *       "email.subject": "Pedido {{order}}",
             *       "email.body": "Olá {{name}}"
             *     }
             */
            texts: {
                [key: string]: string;
            };
        };
        EventVersionList: {
            items: components["schemas"]["EventVersionSummary"][];
            next_cursor: string | null;
        };
        EventVersionSummary: {
            version: number;
            name: string;
            allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            is_current: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            published_at: string;
            /** @description Operator; null for a version from the bootstrap file */
            published_by: string | null;
        };
        EventVersion: {
            version: number;
            name: string;
            allowed_channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            is_current: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            published_at: string;
            /** @description Operator; null for a version from the bootstrap file */
            published_by: string | null;
            templates: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
            topic: string | null;
            digest: components["schemas"]["Digest"] | null;
        };
        ApiKeyList: {
            items: components["schemas"]["ApiKey"][];
            next_cursor: string | null;
        };
        ApiKey: {
            /**
             * @description Identifier of the form key_<26 characters>
             * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            key_id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            name: string;
            /** @enum {string} */
            mode: "live" | "test";
            permissions: ("notifications:send" | "notifications:read" | "otp:send" | "otp:verify" | "otp:custom_code" | "inbox:token" | "domains:manage" | "webhooks:manage" | "recipients:manage" | "lists:manage")[];
            /** @description Null: the default of the installation */
            rate_limit_per_second: number | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** @description End of the overlap after a rotation */
            expires_at: string | null;
            revoked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        CreatedApiKey: {
            /**
             * @description Identifier of the form key_<26 characters>
             * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            key_id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            name: string;
            /** @enum {string} */
            mode: "live" | "test";
            permissions: ("notifications:send" | "notifications:read" | "otp:send" | "otp:verify" | "otp:custom_code" | "inbox:token" | "domains:manage" | "webhooks:manage" | "recipients:manage" | "lists:manage")[];
            /** @description Null: the default of the installation */
            rate_limit_per_second: number | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** @description End of the overlap after a rotation */
            expires_at: string | null;
            revoked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /**
             * @description The key itself. Shown once.
             * @example sk_live_…
             */
            api_key: string;
        };
        RotatedApiKey: {
            /**
             * @description Identifier of the form key_<26 characters>
             * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            key_id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            name: string;
            /** @enum {string} */
            mode: "live" | "test";
            permissions: ("notifications:send" | "notifications:read" | "otp:send" | "otp:verify" | "otp:custom_code" | "inbox:token" | "domains:manage" | "webhooks:manage" | "recipients:manage" | "lists:manage")[];
            /** @description Null: the default of the installation */
            rate_limit_per_second: number | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** @description End of the overlap after a rotation */
            expires_at: string | null;
            revoked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /**
             * @description The key itself. Shown once.
             * @example sk_live_…
             */
            api_key: string;
            /**
             * @description Identifier of the form key_<26 characters>
             * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            previous_key_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            previous_valid_until: string;
        };
        PreferenceEntryList: {
            items: components["schemas"]["PreferenceEntry"][];
            next_cursor: string | null;
        };
        PreferenceEntry: {
            /**
             * @description A topic_key, or * for every topic
             * @example newsletter
             */
            topic: "*" | string;
            /**
             * @description A channel, or * for every channel
             * @example email
             */
            channel: "*" | ("email" | "sms" | "whatsapp" | "in_app" | "webhook");
            /** @description null: there was no choice */
            before: ("on" | "off") | null;
            /** @description null: the choice was removed */
            after: ("on" | "off") | null;
            frequency_before: ("instant" | "hourly" | "daily" | "weekly") | null;
            frequency_after: ("instant" | "hourly" | "daily" | "weekly") | null;
            /** @enum {string} */
            source: "page" | "one_click" | "api" | "operator" | "import" | "keyword";
            /** @description The user id or address that the choice was made for; null: it belongs to no known user */
            of: ("user" | "email" | "phone") | null;
            /** @description The API key that made it; null: the person */
            actor: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            changed_at: string;
        };
        RecipientPreferences: {
            topics: {
                /**
                 * @description Key of a topic of the application
                 * @example newsletter
                 */
                topic_key: string;
                name: string;
                description: string;
                /** @enum {string} */
                kind: "required" | "on" | "off";
                channels: {
                    /** @enum {string} */
                    channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                    /** @enum {string} */
                    state: "on" | "off";
                    /** @description Whether a choice `off` for all topics or all channels overrides this one */
                    overridden: boolean;
                    /** @description Whether an event combines its messages in digests, so that a frequency has an effect */
                    digests: boolean;
                    /** @description Frequency of the most specific choice; null: the window of the event */
                    frequency: ("instant" | "hourly" | "daily" | "weekly") | null;
                }[];
            }[];
            rules: {
                /**
                 * @description A topic_key, or * for every topic
                 * @example newsletter
                 */
                topic: "*" | string;
                /**
                 * @description A channel, or * for every channel
                 * @example email
                 */
                channel: "*" | ("email" | "sms" | "whatsapp" | "in_app" | "webhook");
                /** @enum {string} */
                state: "on" | "off";
                /** @description null: as the event says */
                frequency: ("instant" | "hourly" | "daily" | "weekly") | null;
                /** @enum {string} */
                source: "page" | "one_click" | "api" | "operator" | "import" | "keyword";
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                changed_at: string;
                /** @description The user id or address that the choice was made for; null: it belongs to no known user */
                of: ("user" | "email" | "phone") | null;
            }[];
            /** @description The user id and the addresses of the user; empty if no user has this id or address */
            names: {
                /** @enum {string} */
                of: "user" | "email" | "phone";
                /** @example rcp_q1yZk0vX2mB7cR9s4tUvWx */
                recipient_token: string;
                recipient_masked: string;
            }[];
            /** @description The users who share this address, if there are several; their choices are not included */
            sharing: {
                /** @enum {string} */
                of: "user" | "email" | "phone";
                /** @example rcp_q1yZk0vX2mB7cR9s4tUvWx */
                recipient_token: string;
                recipient_masked: string;
            }[];
        };
        ApiRequest: {
            /** @description `X-Request-Id` of the response */
            request_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            requested_at: string;
            /**
             * @description Identifier of the form key_<26 characters>
             * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            key_id: string;
            method: string;
            /**
             * @description Path with the ids that the service issued. Other parameters are replaced by their names, unknown parts by `…`; without the query string
             * @example /api/v1/notifications/{notification_id}
             */
            path: string;
            status: number;
            /** @description Code of the problem that refused it */
            code: string | null;
            duration_ms: number;
        };
        TopicList: {
            items: components["schemas"]["Topic"][];
            next_cursor: string | null;
        };
        Topic: {
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * @description Key of a topic of the application
             * @example newsletter
             */
            topic_key: string;
            name: string;
            description: string;
            /** @enum {string} */
            kind: "required" | "on" | "off";
            channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            position: number;
            /**
             * @description Name and description by locale, at most 60
             * @example {
             *       "de": {
             *         "name": "Rundbrief",
             *         "description": "Neue Produkte, einmal in der Woche"
             *       }
             *     }
             */
            translations: {
                [key: string]: {
                    /** @example Newsletter */
                    name: string;
                    /**
                     * @default
                     * @example New products, once a week
                     */
                    description: string;
                };
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        NewTopic: {
            /**
             * @description Key of a topic of the application
             * @example newsletter
             */
            topic_key: string;
            /** @example Newsletter */
            name: string;
            /**
             * @description What recipients read below the name
             * @default
             * @example New products, once a week
             */
            description?: string;
            /**
             * @default on
             * @enum {string}
             */
            kind?: "required" | "on" | "off";
            /**
             * @description Channels for which recipients may switch it; unless it is required, it is sent by these alone
             * @example [
             *       "email"
             *     ]
             */
            channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /**
             * @description Topics are shown by position, then by key
             * @default 0
             */
            position?: number;
            /**
             * @description Name and description by locale, at most 60
             * @default {}
             * @example {
             *       "de": {
             *         "name": "Rundbrief",
             *         "description": "Neue Produkte, einmal in der Woche"
             *       }
             *     }
             */
            translations?: {
                [key: string]: {
                    /** @example Newsletter */
                    name: string;
                    /**
                     * @default
                     * @example New products, once a week
                     */
                    description?: string;
                };
            };
        };
        TopicContent: {
            /** @example Newsletter */
            name: string;
            /**
             * @description What recipients read below the name
             * @default
             * @example New products, once a week
             */
            description?: string;
            /**
             * @default on
             * @enum {string}
             */
            kind?: "required" | "on" | "off";
            /**
             * @description Channels for which recipients may switch it; unless it is required, it is sent by these alone
             * @example [
             *       "email"
             *     ]
             */
            channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
            /**
             * @description Topics are shown by position, then by key
             * @default 0
             */
            position?: number;
            /**
             * @description Name and description by locale, at most 60
             * @default {}
             * @example {
             *       "de": {
             *         "name": "Rundbrief",
             *         "description": "Neue Produkte, einmal in der Woche"
             *       }
             *     }
             */
            translations?: {
                [key: string]: {
                    /** @example Newsletter */
                    name: string;
                    /**
                     * @default
                     * @example New products, once a week
                     */
                    description?: string;
                };
            };
        };
        AuditLog: {
            items: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        AuditEntry: {
            /**
             * @description Identifier of the form aud_<26 characters>
             * @example aud_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            audit_id: string;
            /**
             * @description Identifier of the form ten_<26 characters>
             * @example ten_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            tenant_id: string;
            /** @description Null for resources of the whole tenant */
            application_id: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            occurred_at: string;
            actor: {
                /** @enum {string} */
                kind: "operator" | "key" | "service" | "system";
                id: string;
            };
            /**
             * @description `<resource>.<verb>`
             * @example template.replaced
             */
            action: string;
            resource: {
                type: string;
                id: string;
            };
            /** @description The fields that changed; null when it was created */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The fields that changed; null when it was deleted */
            after: {
                [key: string]: unknown;
            } | null;
            request_id: string | null;
        };
        BroadcastList: {
            items: components["schemas"]["Broadcast"][];
            next_cursor: string | null;
        };
        Broadcast: {
            /**
             * @description Identifier of the form bc_<26 characters>
             * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            broadcast_id: string;
            /**
             * @description Identifier of the form list_<26 characters>
             * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            list_id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /** @enum {string} */
            mode: "live" | "test";
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            event_key: string | null;
            /** @enum {string} */
            status: "running" | "paused" | "cancelled" | "completed";
            /**
             * @description Members of the list when the broadcast was made
             * @example 12
             */
            total: number;
            /**
             * @description Members with a notification
             * @example 10
             */
            accepted: number;
            /**
             * @description Members without one
             * @example 2
             */
            refused: number;
            /**
             * @description Refused members by error code
             * @example {
             *       "recipient_unknown": 2
             *     }
             */
            refusals: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            finished_at: string | null;
        };
        DomainList: {
            items: components["schemas"]["Domain"][];
            next_cursor: string | null;
        };
        Domain: {
            /**
             * @description Identifier of the form dom_<26 characters>
             * @example dom_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            domain_id: string;
            domain: string;
            /** @enum {string} */
            status: "pending" | "verified" | "failed" | "degraded";
            records: components["schemas"]["DomainRecord"][];
            /** @description By priority */
            carriers: components["schemas"]["DomainCarrier"][];
            verified_at: string | null;
            last_checked_at: string | null;
        };
        DomainRecord: {
            /** @enum {string} */
            purpose: "spf" | "dkim" | "mail_from";
            /** @enum {string} */
            type: "TXT" | "MX" | "CNAME";
            /** @description Fully qualified name, without trailing dot */
            name: string;
            /** @description Publish TXT values longer than 255 characters as several strings */
            value: string;
            /** @description Recommended TTL in seconds */
            ttl: number;
            /** @description Of MX records */
            priority?: number;
            /** @enum {string} */
            status: "pending" | "verified" | "failed";
            /** @description Records found, one per line */
            found?: string;
            /** @description What is wrong and how to fix it */
            error?: string;
            /** @description The providers whose carriers need it; the records of purpose dkim and spf without any prove the domain */
            needed_by: string[];
        };
        DomainCarrier: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            kind: string;
            name: string;
            /**
             * @description Email from the domain is sent through the provider unless this is pending
             * @enum {string}
             */
            status: "pending" | "verified" | "unmanaged";
            /** @description Why the carrier could not be asked */
            error?: string;
            /** @description Time of the latest answer of the carrier */
            checked_at: string | null;
        };
        NewDomain: {
            /**
             * @description Domain name, as Unicode or in its xn-- form
             * @example mail.example.com
             */
            domain: string;
        };
        FailureGroup: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            provider_name: string;
            kind: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description The carrier's code, or ours where the carrier gave none */
            code: string;
            /** @description The latest reason for this code */
            meaning: string | null;
            /** @description Attempts that the carrier refused, and messages that it reported as lost */
            failures: number;
            /** @description In the period of the same length before */
            failures_before: number;
            /** @description Failures of each hour (24h) or day, oldest first */
            buckets: number[];
            /**
             * Format: date-time
             * @description Hour of the last one
             * @example 2026-11-21T09:30:00.000Z
             */
            last_at: string;
        };
        FoundId: {
            /** @enum {string} */
            kind: "key" | "request" | "event";
            id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            application_name: string;
        };
        InboxNotification: {
            /**
             * @description Identifier of the form inapp_<26 characters>
             * @example inapp_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            id: string;
            title: string;
            body: string;
            is_read: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /** @description Display data as it was sent */
            data: {
                [key: string]: unknown;
            };
            /** @description Language of the text; null where it is not known */
            locale: string | null;
        };
        UserToken: {
            token: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            expires_at: string;
            user_id: string;
        };
        Inbox: {
            unread_count: number;
            /** @description Fewer than `limit` if they exceed 1 MiB */
            notifications: components["schemas"]["InboxNotification"][];
            /** @description null on the last page */
            next_cursor: string | null;
        };
        LayoutList: {
            items: components["schemas"]["LayoutSummary"][];
            next_cursor: string | null;
        };
        LayoutSummary: {
            /**
             * @description Identifier of the form lay_<26 characters>
             * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            layout_id: string;
            name: string;
            application_id: string | null;
            /** @description Incremented with every change */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /** @description Languages of its translations */
            locales: string[];
        };
        Layout: {
            /**
             * @description Identifier of the form lay_<26 characters>
             * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            layout_id: string;
            name: string;
            application_id: string | null;
            /** @description Incremented with every change */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /** @description Liquid with the variables of the email. Its HTML stands where `{{ content }}` is, once. */
            html_body: string;
            /** @description The same for the text of the email. Without it, a text of its own stays as it is. */
            body?: string;
            /** @description Texts by locale, at most 60. Absent in a request: they stay as they are. */
            translations: {
                [key: string]: components["schemas"]["LayoutTexts"];
            };
        };
        LayoutTexts: {
            /** @description Liquid with the variables of the email. Its HTML stands where `{{ content }}` is, once. */
            html_body: string;
            /** @description The same for the text of the email. Without it, a text of its own stays as it is. */
            body?: string;
        };
        NewLayout: {
            name: string;
            /**
             * @description The application that may use the layout. Null: all applications of the tenant.
             * @default null
             */
            application_id?: string | null;
            /** @description Liquid with the variables of the email. Its HTML stands where `{{ content }}` is, once. */
            html_body: string;
            /** @description The same for the text of the email. Without it, a text of its own stays as it is. */
            body?: string;
            /** @description Texts by locale, at most 60. Absent in a request: they stay as they are. */
            translations?: {
                [key: string]: components["schemas"]["LayoutTexts"];
            };
        };
        LayoutPreview: {
            /** @default {} */
            template_data?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * @description The content to show in the layout. Default: a sentence.
             * @default {
             *       "html_body": "<p>The content of the email.</p>",
             *       "body": "The content of the email."
             *     }
             */
            content?: {
                html_body: string;
                body?: string;
            };
            /**
             * @description Language of the email: shows the translation that an email in this language would get
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description Default: UTC
             * @example Europe/Berlin
             */
            time_zone?: string;
            /** @description Texts to preview in place of the stored ones. They are not saved. */
            layout?: components["schemas"]["LayoutTexts"];
        };
        LayoutVersionList: {
            items: components["schemas"]["LayoutVersionSummary"][];
            next_cursor: string | null;
        };
        LayoutVersionSummary: {
            version: number;
            name: string;
            application_id: string | null;
            is_current: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            saved_at: string;
            /** @description Operator */
            saved_by: string;
        };
        LayoutVersion: {
            version: number;
            name: string;
            application_id: string | null;
            is_current: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            saved_at: string;
            /** @description Operator */
            saved_by: string;
            /** @description Liquid with the variables of the email. Its HTML stands where `{{ content }}` is, once. */
            html_body: string;
            /** @description The same for the text of the email. Without it, a text of its own stays as it is. */
            body?: string;
            /** @description Texts by locale, at most 60. Absent in a request: they stay as they are. */
            translations: {
                [key: string]: components["schemas"]["LayoutTexts"];
            };
        };
        ListList: {
            items: components["schemas"]["List"][];
            next_cursor: string | null;
        };
        List: {
            /**
             * @description Identifier of the form list_<26 characters>
             * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            list_id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /** @enum {string} */
            mode: "live" | "test";
            name: string;
            /** @example 12 */
            member_count: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        NewList: {
            name: string;
        };
        ListChange: {
            name: string;
        };
        ListMembers: {
            items: components["schemas"]["ListMember"][];
            next_cursor: string | null;
        };
        ListMember: {
            /**
             * @description The user's id in the application
             * @example user-42
             */
            user_id: string;
            data: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            added_at: string;
        };
        ListImport: {
            /** @example 2 */
            added: number;
            /** @example 12 */
            member_count: number;
        };
        NewListMembers: {
            members: {
                /**
                 * @description The user's id in the application
                 * @example user-42
                 */
                user_id: string;
                /** @description Variables of templates for this member. They replace those of the broadcast. */
                data?: {
                    [key: string]: components["schemas"]["JsonValue"];
                };
            }[];
        };
        /** @description The fields of DispatchRequest, without a recipient: each member is one. A `subject`, `body` or `html_body` with Liquid is a template, also without `template_data`; with a `layout_id` each of them is one, and must be as short */
        NewBroadcast: {
            [key: string]: unknown;
        };
        Me: {
            /** @constant */
            kind: "key";
            /**
             * @description Identifier of the form ten_<26 characters>
             * @example ten_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            tenant_id: string;
            tenant_name: string | null;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * @description Identifier of the form key_<26 characters>
             * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            key_id: string;
            /** @enum {string} */
            mode: "live" | "test";
            permissions: ("notifications:send" | "notifications:read" | "otp:send" | "otp:verify" | "otp:custom_code" | "inbox:token" | "domains:manage" | "webhooks:manage" | "recipients:manage" | "lists:manage")[];
        } | {
            /** @constant */
            kind: "operator";
            /**
             * @description Identifier of the form ten_<26 characters>
             * @example ten_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            tenant_id: string;
            tenant_name: string | null;
            /** @description The id of this operator in the audit log */
            operator_id: string;
            /** @description The claim OIDC_NAME_CLAIM of the latest access token */
            name: string | null;
            /** @description The claim OIDC_EMAIL_CLAIM of the latest access token */
            email: string | null;
            permissions: ("activity:read" | "activity:retry" | "applications:manage" | "events:manage" | "providers:manage" | "domains:manage" | "webhooks:manage" | "consents:read" | "audit:read" | "usage:read" | "topics:manage" | "content:read")[];
        };
        NotificationAccepted: {
            /** @constant */
            status: "accepted";
            /**
             * @description Identifier of the form notif_<26 characters>
             * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            notification_id: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @enum {string} */
            delivery_status: "queued" | "scheduled";
            /** @description Recipients of `cc` and `bcc` that are suppressed and receive no copy; absent if there are none */
            left_out?: {
                /** @enum {string} */
                field: "cc" | "bcc";
                recipient_masked: string;
                /** @enum {string} */
                suppressed: "bounce" | "complaint" | "stop" | "manual";
            }[];
        };
        DispatchRequest: {
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description E.164 number, email address or user id, or an object such as {"phone": "+15551230001"} or {"user_id": "user-42"}. For a user_id, the address that PUT /api/v1/users/{user_id} has saved is used */
            recipient: string | {
                [key: string]: unknown;
            };
            /**
             * @description Key of a published event of the application
             * @example order.shipped
             */
            event_key?: string;
            /** @description Variables of the event template */
            data?: {
                [key: string]: unknown;
            };
            subject?: string;
            /** @description Of an in-app notification. Default: `subject` */
            title?: string;
            body?: string;
            html_body?: string;
            /** @description What lists of emails show after the subject */
            preheader?: string;
            /**
             * @description The layout around `body` and `html_body` of an email
             * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            layout_id?: string;
            /** @description Sender of an email, at a verified domain. Default: the sender of the provider. */
            from?: string;
            /** @description Where answers to an email go: an address, or a list of at most 10. Default: the sender. */
            reply_to?: (string | {
                email: string;
                name?: string;
            }) | (string | {
                email: string;
                name?: string;
            })[];
            /** @description Who receives a copy of an email: an address, or a list. With `bcc` and the recipient at most 50. */
            cc?: (string | {
                email: string;
                name?: string;
            }) | (string | {
                email: string;
                name?: string;
            })[];
            /** @description Who receives a copy that the other recipients do not see. */
            bcc?: (string | {
                email: string;
                name?: string;
            }) | (string | {
                email: string;
                name?: string;
            })[];
            /** @description Headers of an email: `X-…`, `In-Reply-To`, `References` and `List-…`, in ASCII */
            headers?: {
                [key: string]: string;
            };
            /** @description Files of an email, 10 at most, with 7340032 bytes together */
            attachments?: {
                /** @example invoice.pdf */
                filename: string;
                /** @description The bytes in base64; or give `url` */
                content?: string;
                /** @description Where the file is read when the request is accepted */
                url?: string;
                /**
                 * @description Media type; it must match the bytes
                 * @example application/pdf
                 */
                content_type: string;
                /**
                 * @description Of an inline image, which the HTML shows as `cid:<content_id>`
                 * @example logo
                 */
                content_id?: string;
            }[];
            /**
             * @description Identifier of the form tmpl_<26 characters>
             * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            template_id?: string;
            /**
             * @description Topic of a message without event_key, which the recipient may have switched off
             * @example newsletter
             */
            topic?: string;
            template_data?: {
                [key: string]: unknown;
            };
            /**
             * @default transactional
             * @enum {string}
             */
            priority?: "transactional" | "bulk";
            /**
             * Format: date-time
             * @description Time to send, at most 30 days ahead. Default: now.
             */
            send_at?: string;
            /**
             * @description Time to send in the time zone of the recipient: `time_zone`, else that of the user, else that of the application. If a time occurs twice, the first one is used. A time that is skipped when clocks are set forward is moved later by the same amount.
             * @example 2026-11-21T09:30
             */
            send_at_local?: string;
            /**
             * Format: date-time
             * @description The message is not sent after this time. It then ends with the reason `expired`: as `cancelled` if it was never attempted, otherwise as `failed`
             */
            expires_at?: string;
            /**
             * @description Language of the recipient, BCP 47. Chooses the translation. Default: the locale of the user, then default_locale of the application.
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description Zone of times in the text. Default: the timezone of the user, then default_time_zone of the application, then UTC.
             * @example Europe/Berlin
             */
            time_zone?: string;
            metadata?: {
                [key: string]: string;
            };
        };
        Notification: {
            /**
             * @description Identifier of the form notif_<26 characters>
             * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            notification_id: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            event_key: string | null;
            /** @enum {string} */
            delivery_status: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled";
            recipient_masked: string;
            failure_reason: string | null;
            /** @description Whether a retry would be accepted now: not once the recipient is suppressed or has opted out, the notification has expired, or its broadcast was cancelled */
            retryable: boolean;
            retry_count: number;
            credits: number;
            /** @description The digest that the notification is an item of, or the message of */
            digest_id: string | null;
            /** @description Language of its text; null where it is not known */
            locale: string | null;
            /** @description The locale of the request */
            requested_locale: string | null;
            metadata: {
                [key: string]: string;
            } | null;
            /** @description As scheduled, or the end of the quiet hours of its user */
            send_at: string | null;
            expires_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /** @description Recipients of `cc` and `bcc`. One that is suppressed is left out. Absent if there are none */
            copies?: {
                /** @enum {string} */
                field: "cc" | "bcc";
                recipient_masked: string;
                suppressed: ("bounce" | "complaint" | "stop" | "manual") | null;
                /** @description The carrier's reason for refusing this copy while it accepted the message */
                refused: string | null;
            }[];
            /** @description When the carrier first reported that it was read; WhatsApp */
            read_at: string | null;
            attempts: {
                /**
                 * @description Identifier of the form att_<26 characters>
                 * @example att_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                attempt_id: string;
                number: number;
                provider_id: string | null;
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                started_at: string;
                finished_at: string | null;
                outcome: ("accepted" | "rejected_permanent" | "rejected_retryable" | "unknown") | null;
                /** @description Whether the carrier may have accepted the message without confirming it */
                ambiguous: boolean;
                provider_code: string | null;
                provider_message: string | null;
                /** @description The carrier's id of the message. In ids of WhatsApp `x` replaces the digits of the phone number */
                provider_message_id: string | null;
            }[];
        };
        NotificationCancelled: {
            /**
             * @description Identifier of the form notif_<26 characters>
             * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            notification_id: string;
            /** @constant */
            delivery_status: "cancelled";
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            cancelled_at: string;
        };
        NotificationBatch: {
            results: (components["schemas"]["NotificationAccepted"] | {
                error: {
                    title: string;
                    status: number;
                    code: string;
                    detail: string;
                    errors?: {
                        path: string;
                        message: string;
                    }[];
                    /** @description With `otp_invalid_code`: how many more codes may be tried */
                    attempts_remaining?: number;
                };
            })[];
        };
        OperatorList: {
            items: components["schemas"]["Operator"][];
            next_cursor: string | null;
        };
        Operator: {
            /** @description The id of this operator in the audit log */
            operator_id: string;
            /** @description The claim OIDC_NAME_CLAIM of the latest access token */
            name: string | null;
            /** @description The claim OIDC_EMAIL_CLAIM of the latest access token */
            email: string | null;
            /**
             * Format: date-time
             * @description Last use of an access token, exact to the hour
             * @example 2026-11-21T09:30:00.000Z
             */
            seen_at: string;
        };
        Otp: {
            /**
             * @description Identifier of the form otp_<26 characters>
             * @example otp_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            transaction_id: string;
            /** @enum {string} */
            status: "pending" | "sent" | "delivered" | "verified" | "expired" | "failed";
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp";
            recipient_masked: string;
            failure_reason: string | null;
            attempts_remaining: number;
            resends_remaining: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            expires_at: string;
            verified_at: string | null;
        };
        OtpSent: {
            /** @constant */
            status: "sent";
            /**
             * @description Identifier of the form otp_<26 characters>
             * @example otp_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            transaction_id: string;
            expires_in_seconds: number;
        };
        OtpRequest: {
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp";
            /** @description E.164 number for sms and whatsapp, address for email */
            recipient: string;
            /**
             * @description Digits of the code; default 6
             * @enum {number}
             */
            length?: 4 | 6;
            /** @default 300 */
            ttl_seconds?: number;
            /** @description The caller's own code; requires `otp:custom_code` */
            code?: string;
            /**
             * @description Language of the recipient, BCP 47. Selects the text: event `otp.<locale>` of the application, then the translation of the event `otp`, then the built-in text. Default: default_locale of the application.
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description Older name of locale
             * @example pt-BR
             */
            language?: string;
        };
        OtpVerified: {
            /** @constant */
            status: "verified";
            /**
             * @description Identifier of the form otp_<26 characters>
             * @example otp_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            transaction_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            verified_at: string;
        };
        Preferences: {
            topics: {
                /**
                 * @description Key of a topic of the application
                 * @example newsletter
                 */
                topic_key: string;
                name: string;
                description: string;
                /** @enum {string} */
                kind: "required" | "on" | "off";
                channels: {
                    /** @enum {string} */
                    channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                    /** @enum {string} */
                    state: "on" | "off";
                    /** @description Whether a choice `off` for all topics or all channels overrides this one */
                    overridden: boolean;
                    /** @description Whether an event combines its messages in digests, so that a frequency has an effect */
                    digests: boolean;
                    /** @description Frequency of the most specific choice; null: the window of the event */
                    frequency: ("instant" | "hourly" | "daily" | "weekly") | null;
                }[];
            }[];
            /** @description The choices themselves; a topic without one follows its kind */
            rules: components["schemas"]["PreferenceRule"][];
        };
        PreferenceRule: {
            /**
             * @description A topic_key, or * for every topic
             * @example newsletter
             */
            topic: "*" | string;
            /**
             * @description A channel, or * for every channel
             * @example email
             */
            channel: "*" | ("email" | "sms" | "whatsapp" | "in_app" | "webhook");
            /** @enum {string} */
            state: "on" | "off";
            /** @description null: as the event says */
            frequency: ("instant" | "hourly" | "daily" | "weekly") | null;
            /** @enum {string} */
            source: "page" | "one_click" | "api" | "operator" | "import" | "keyword";
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            changed_at: string;
        };
        PreferenceChanges: {
            rules: {
                /**
                 * @description A topic_key, or * for every topic
                 * @example newsletter
                 */
                topic: "*" | string;
                /**
                 * @description A channel, or * for every channel
                 * @example email
                 */
                channel: "*" | ("email" | "sms" | "whatsapp" | "in_app" | "webhook");
                /** @description null removes the choice, so that the choices for `*` decide */
                state: ("on" | "off") | null;
                /** @description Window of digests, with state on; null: as the event says. Absent: it stays as it is. */
                frequency?: ("instant" | "hourly" | "daily" | "weekly") | null;
            }[];
        };
        PreferenceExplanation: {
            sends: boolean;
            considered: {
                /** @enum {string} */
                check: "suppression" | "consent" | "topic" | "choice" | "kind";
                /**
                 * @description passes: the rule does not apply, the next one is checked
                 * @enum {string}
                 */
                outcome: "stops" | "sends" | "passes";
                detail: string;
                /** @description The choice that was checked */
                rule?: {
                    /** @enum {string} */
                    of: "user" | "address";
                    /**
                     * @description A topic_key, or * for every topic
                     * @example newsletter
                     */
                    topic: "*" | string;
                    /**
                     * @description A channel, or * for every channel
                     * @example email
                     */
                    channel: "*" | ("email" | "sms" | "whatsapp" | "in_app" | "webhook");
                    /** @enum {string} */
                    state: "on" | "off";
                    /** @enum {string} */
                    source: "page" | "one_click" | "api" | "operator" | "import" | "keyword";
                    /**
                     * Format: date-time
                     * @example 2026-11-21T09:30:00.000Z
                     */
                    changed_at: string;
                };
                decided: boolean;
            }[];
        };
        PreferenceImport: {
            changed: number;
            unchanged: number;
        };
        ProviderKindList: {
            items: components["schemas"]["ProviderKind"][];
        };
        ProviderKind: {
            kind: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description JSON Schema of the credentials. Fields with `writeOnly` are secrets; those with `readOnly` are generated by this service. */
            credentials: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description Whether its signing secret can be rotated here */
            rotates_secret: boolean;
        };
        ProviderList: {
            items: components["schemas"]["Provider"][];
            next_cursor: string | null;
        };
        Provider: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            /** @description The application that may use it. Null: all. */
            application_id: string | null;
            /** @description The webhook subscription that it was created for and signs for alone. Null: any other provider. */
            subscription_id: string | null;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            kind: string;
            name: string;
            /** @description The provider with the lowest number is tried first */
            priority: number;
            /** @description Share of messages among providers of equal priority, 0 to 100 */
            weight: number;
            /** @description Messages per second. Null: no limit. */
            rate_limit_per_second: number | null;
            /**
             * @description Fields of the kind. Of secrets only the last 4 characters are shown.
             * @example {
             *       "account_sid": "AC0123456789abcdef0123456789abcdef",
             *       "auth_token": "****89ab",
             *       "from": "+15005550006"
             *     }
             */
            credentials: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            credentials_updated_at: string;
            /** @description Address to register with the carrier for receipts and inbound messages. Null: nothing to register. */
            callback_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        CreatedProvider: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            /** @description The application that may use it. Null: all. */
            application_id: string | null;
            /** @description The webhook subscription that it was created for and signs for alone. Null: any other provider. */
            subscription_id: string | null;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            kind: string;
            name: string;
            /** @description The provider with the lowest number is tried first */
            priority: number;
            /** @description Share of messages among providers of equal priority, 0 to 100 */
            weight: number;
            /** @description Messages per second. Null: no limit. */
            rate_limit_per_second: number | null;
            /**
             * @description Fields of the kind. Of secrets only the last 4 characters are shown.
             * @example {
             *       "account_sid": "AC0123456789abcdef0123456789abcdef",
             *       "auth_token": "****89ab",
             *       "from": "+15005550006"
             *     }
             */
            credentials: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            credentials_updated_at: string;
            /** @description Address to register with the carrier for receipts and inbound messages. Null: nothing to register. */
            callback_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /** @description Signing secret of kind webhook. Shown once. */
            secret?: string;
            /** @description Token that Meta shows when the callback is registered, if none was given. Shown once. */
            verify_token?: string;
        };
        NewProvider: {
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /**
             * @description A kind of GET /provider-kinds
             * @example twilio
             */
            kind: string;
            name: string;
            /** @default null */
            application_id?: string | null;
            /** @description Default: after all others of the channel */
            priority?: number;
            /**
             * @description Share of messages among providers of equal priority. 0: only when no other of them can be used
             * @default 100
             */
            weight?: number;
            /** @description Messages per second. Null: no limit. Default: 80 for kind whatsapp_cloud, none for others. */
            rate_limit_per_second?: number | null;
            /**
             * @description Fields of the kind; see the guide to providers. Never shown again.
             * @default {}
             */
            credentials?: {
                [key: string]: string;
            };
        };
        ProviderChange: {
            name?: string;
            /** @description Default: after all others of the channel */
            priority?: number;
            /** @description Share of messages among providers of equal priority. 0: only when no other of them can be used */
            weight?: number;
            rate_limit_per_second?: number | null;
            /** @description Fields to replace; null removes a field. Others stay as they are. */
            credentials?: {
                [key: string]: string | null;
            };
        };
        ProviderSecret: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            secret: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            previous_valid_until: string;
        };
        ProviderTest: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            /** @description Whether the carrier accepts the credentials and the account may send */
            ok: boolean;
            /** @description Code of the carrier, or of the connection failure */
            code: string | null;
            /** @description The carrier's answer as text */
            message: string;
            /**
             * @example {
             *       "status": "active"
             *     }
             */
            details: {
                [key: string]: string;
            };
            duration_ms: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            tested_at: string;
        };
        ProviderTestMessage: {
            /** @description Your own number (E.164) or email address. It must not be suppressed; on WhatsApp it must have opted in. */
            recipient: string;
            /** @description Default: a sentence that names the provider. WhatsApp needs an approved template. */
            templates?: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
        };
        RecipientLookup: {
            /** @example rcp_q1yZk0vX2mB7cR9s4tUvWx */
            recipient_token: string;
            /** @description Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, so that no address can be found from it. Null after an erasure. */
            recipient_tag: string | null;
        };
        Suppression: {
            /**
             * @description Identifier of the form sup_<26 characters>
             * @example sup_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            suppression_id: string;
            /** @enum {string} */
            channel: "email" | "sms";
            recipient_masked: string;
            /** @description Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, so that no address can be found from it. Null after an erasure. */
            recipient_tag: string | null;
            /** @enum {string} */
            reason: "bounce" | "complaint" | "stop" | "manual";
            source_notification_id: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
        };
        TemplateList: {
            items: components["schemas"]["TemplateSummary"][];
            next_cursor: string | null;
        };
        TemplateSummary: {
            /**
             * @description Identifier of the form tmpl_<26 characters>
             * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            template_id: string;
            name: string;
            application_id: string | null;
            /** @description Incremented with every change */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            channels: ("email" | "sms" | "whatsapp" | "in_app" | "webhook")[];
        };
        Template: {
            /**
             * @description Identifier of the form tmpl_<26 characters>
             * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            template_id: string;
            name: string;
            application_id: string | null;
            /** @description Incremented with every change */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            templates: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
        };
        NewTemplate: {
            name: string;
            /**
             * @description The application that may use the template. Null: all applications of the tenant.
             * @default null
             */
            application_id?: string | null;
            templates: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
            /** @description Templates by locale, at most 60. Absent in a request: they stay as they are. */
            translations?: {
                [key: string]: {
                    email?: {
                        subject: string;
                        /** @description Made from `html_body` where it is absent */
                        body?: string;
                        html_body?: string;
                        /** @description What lists of messages show after the subject; requires `html_body` */
                        preheader?: string;
                        /**
                         * @description The layout around its texts
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id?: string;
                    };
                    sms?: {
                        body: string;
                    };
                    whatsapp?: {
                        template_name: string;
                        language: string;
                        /** @enum {string} */
                        category: "marketing" | "utility" | "authentication";
                        /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                        parameters: string[] | {
                            [key: string]: string;
                        };
                        /** @description Required if the header of the template has a placeholder or is a file */
                        header?: {
                            /** @enum {string} */
                            type: "text" | "image" | "video" | "document";
                            /** @description Text of the placeholder; of a file its https address */
                            value: string;
                            /** @description Of a named placeholder */
                            name?: string;
                        };
                        /** @description Buttons of the template that have a placeholder */
                        buttons?: {
                            /** @description Position among the buttons of the template */
                            index: number;
                            /** @enum {string} */
                            type: "url" | "copy_code";
                            /** @description End of the address, or the code to copy */
                            value: string;
                        }[];
                    };
                    in_app?: {
                        title: string;
                        body: string;
                        data?: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                    webhook?: {
                        data: {
                            [key: string]: components["schemas"]["JsonValue"];
                        };
                    };
                };
            };
        };
        TemplatePreview: {
            /**
             * @description Channel to preview. Default: all channels of the template.
             * @enum {string}
             */
            channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @default {} */
            template_data?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * @description Language of the recipient: shows the text that a message with this locale would have, each channel in its translation
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description Default: UTC
             * @example Europe/Berlin
             */
            time_zone?: string;
            /** @description Templates to preview in place of the stored ones. They are not saved. */
            templates?: {
                email?: {
                    subject: string;
                    /** @description Made from `html_body` where it is absent */
                    body?: string;
                    html_body?: string;
                    /** @description What lists of messages show after the subject; requires `html_body` */
                    preheader?: string;
                    /**
                     * @description The layout around its texts
                     * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    layout_id?: string;
                };
                sms?: {
                    body: string;
                };
                whatsapp?: {
                    template_name: string;
                    language: string;
                    /** @enum {string} */
                    category: "marketing" | "utility" | "authentication";
                    /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                    parameters: string[] | {
                        [key: string]: string;
                    };
                    /** @description Required if the header of the template has a placeholder or is a file */
                    header?: {
                        /** @enum {string} */
                        type: "text" | "image" | "video" | "document";
                        /** @description Text of the placeholder; of a file its https address */
                        value: string;
                        /** @description Of a named placeholder */
                        name?: string;
                    };
                    /** @description Buttons of the template that have a placeholder */
                    buttons?: {
                        /** @description Position among the buttons of the template */
                        index: number;
                        /** @enum {string} */
                        type: "url" | "copy_code";
                        /** @description End of the address, or the code to copy */
                        value: string;
                    }[];
                };
                in_app?: {
                    title: string;
                    body: string;
                    data?: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
                webhook?: {
                    data: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                };
            };
        };
        Usage: {
            /**
             * Format: date
             * @example 2026-11-01
             */
            from: string;
            /**
             * Format: date
             * @example 2026-11-01
             */
            to: string;
            /** @description Of all pages */
            totals: {
                messages: number;
                credits: number;
            };
            items: components["schemas"]["UsageItem"][];
            next_cursor: string | null;
        };
        UsageItem: {
            /**
             * @description Day or month in UTC
             * @example 2026-11-01
             */
            period: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description Category of the WhatsApp template; null for other channels */
            category: string | null;
            messages: number;
            credits: number;
        };
        UsageLocales: {
            /**
             * Format: date
             * @example 2026-11-01
             */
            from: string;
            /**
             * Format: date
             * @example 2026-11-01
             */
            to: string;
            items: components["schemas"]["UsageLocale"][];
            next_cursor: string | null;
        };
        UsageLocale: {
            /**
             * @description Day or month in UTC
             * @example 2026-11-01
             */
            period: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description Language of the text */
            locale: string;
            messages: number;
            credits: number;
        };
        UsageOfChannel: {
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description Accepted, without those that were cancelled or are scheduled. Like taken, delivered and failed it is 0 once the items of the activity are deleted; charged, segments and their cost stay. */
            messages: number;
            /** @description Taken by a carrier, or stored in an inbox */
            taken: number;
            delivered: number;
            /** @description Failed or undelivered */
            failed: number;
            /** @description Messages that cost credits */
            charged: number;
            /** @description Parts of the SMS that were charged; 0 on other channels */
            segments: number;
            /** @description By the price list; null without a price for the channel */
            cost: string | null;
        };
        UsageMessages: {
            /**
             * @description Day or month in UTC
             * @example 2026-11-01
             */
            period: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /** @description Accepted, without those that were cancelled or are scheduled. Like taken, delivered and failed it is 0 once the items of the activity are deleted; charged, segments and their cost stay. */
            messages: number;
            /** @description Taken by a carrier, or stored in an inbox */
            taken: number;
            delivered: number;
            /** @description Failed or undelivered */
            failed: number;
            /** @description Messages that cost credits */
            charged: number;
            /** @description Parts of the SMS that were charged; 0 on other channels */
            segments: number;
            /** @description By the price list; null without a price for the channel */
            cost: string | null;
        };
        PriceList: {
            /** @description Another one for each list */
            version: string;
            currency: string | null;
            prices: components["schemas"]["Price"][];
        };
        Price: {
            /** @enum {string} */
            channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
            /**
             * @description Category of a WhatsApp template; null: every message of the channel without a price of its category
             * @default null
             */
            category: ("marketing" | "utility" | "authentication") | null;
            /**
             * @description Country of the number, for SMS and WhatsApp; null: every country without a price of its own. The longest prefix counts, and among prices of one prefix that of the category.
             * @default null
             * @example +49
             */
            country_prefix: string | null;
            /**
             * @description Of one message that a carrier has taken; of SMS, of one segment
             * @example 0.045
             */
            price: string;
        };
        NewPriceList: {
            /** @example EUR */
            currency: string;
            prices: {
                /** @enum {string} */
                channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Category of a WhatsApp template; null: every message of the channel without a price of its category
                 * @default null
                 */
                category?: ("marketing" | "utility" | "authentication") | null;
                /**
                 * @description Country of the number, for SMS and WhatsApp; null: every country without a price of its own. The longest prefix counts, and among prices of one prefix that of the category.
                 * @default null
                 * @example +49
                 */
                country_prefix?: string | null;
                /**
                 * @description Of one message that a carrier has taken; of SMS, of one segment
                 * @example 0.045
                 */
                price: string;
            }[];
        };
        Recipient: {
            /**
             * @description The user's id in the application
             * @example user-42
             */
            user_id: string;
            email: string | null;
            phone: string | null;
            locale: string | null;
            timezone: string | null;
            quiet_hours: components["schemas"]["QuietHours"] | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        QuietHours: {
            /** @example 22:00 */
            start: string;
            /**
             * @description Before `start`: on the next day
             * @example 08:00
             */
            end: string;
        };
        NewRecipient: {
            /**
             * @description Its domain may be international; it is kept in ASCII
             * @example ada@example.com
             */
            email?: string;
            /** @example +15551230001 */
            phone?: string;
            /**
             * @description Language of messages to the user that name none
             * @example pt-BR
             */
            locale?: string;
            /**
             * @description Zone of quiet hours, of `send_at_local` and of times in texts
             * @example Europe/Berlin
             */
            timezone?: string;
            /** @description Each day, messages other than codes and in-app ones wait until the end. Requires `timezone`. */
            quiet_hours?: components["schemas"]["QuietHours"];
        };
        WebhookDelivery: {
            /**
             * @description Identifier of the form whdel_<26 characters>
             * @example whdel_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            delivery_id: string;
            /** @description null for a notification of the channel webhook */
            subscription_id: string | null;
            notification_id: string | null;
            event_type: string;
            /** @enum {string} */
            status: "pending" | "succeeded" | "exhausted";
            attempts_made: number;
            /** @description HTTP status of the latest answer */
            last_status: number | null;
            last_error: string | null;
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            finished_at: string | null;
            /** @description null if it cannot be decrypted any more */
            request: {
                /**
                 * @description Headers of every attempt; each attempt adds its time and signatures
                 * @example {
                 *       "content-type": "application/json",
                 *       "x-svc-id": "msg_01jd3x8qk5w9t2m4v6b8n0p2r4"
                 *     }
                 */
                headers: {
                    [key: string]: string;
                };
                /**
                 * @description Byte for byte as it was signed, but user_id or address of a preference.changed is masked; null for a send by the channel webhook, whose content POST /activity/{id}/content shows
                 * @example {"type":"notification.delivered"}
                 */
                body: string | null;
            } | null;
            /** @description The newest 100, in their order */
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        WebhookAttempt: {
            number: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            started_at: string;
            /** @description null while in progress, or if its outcome is unknown */
            finished_at: string | null;
            duration_ms: number | null;
            status: number | null;
            error: string | null;
            response_excerpt: string | null;
        };
        WebhookDeliverySummary: {
            /**
             * @description Identifier of the form whdel_<26 characters>
             * @example whdel_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            delivery_id: string;
            /** @description null for a notification of the channel webhook */
            subscription_id: string | null;
            notification_id: string | null;
            event_type: string;
            /** @enum {string} */
            status: "pending" | "succeeded" | "exhausted";
            attempts_made: number;
            /** @description HTTP status of the latest answer */
            last_status: number | null;
            last_error: string | null;
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            finished_at: string | null;
        };
        WebhookSubscriptionList: {
            items: components["schemas"]["WebhookSubscription"][];
            next_cursor: string | null;
        };
        WebhookSubscription: {
            /**
             * @description Identifier of the form whsub_<26 characters>
             * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            subscription_id: string;
            /**
             * @description Identifier of the form app_<26 characters>
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id: string;
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            /** @description `https://unreadable.invalid/` if it cannot be decrypted any more */
            url: string;
            events: ("notification.delivered" | "notification.failed" | "preference.changed")[];
            description: string;
            /** @enum {string} */
            status: "active" | "disabled";
            disabled_reason: ("operator" | "gone" | "failing") | null;
            /** @description The first failure since the last success, or since two days without one that counts */
            failing_since: string | null;
            /** @description The latest replay */
            replay: components["schemas"]["WebhookReplay"] | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        WebhookReplay: {
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            since: string;
            /** @description Deliveries that were exhausted when the replay was requested, by the times in their ids */
            count: number;
            /** @description Deliveries that have been replayed, by their `created_at` */
            replayed: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            requested_at: string;
            finished_at: string | null;
        };
        NewWebhookSubscription: {
            /**
             * @description Required for operators
             * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            application_id?: string;
            /**
             * @description Public https address
             * @example https://example.com/hook
             */
            url: string;
            /** @description Events that are sent to the address */
            events: ("notification.delivered" | "notification.failed" | "preference.changed")[];
            /**
             * @description Webhook provider whose secret signs
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id?: string;
            /** @default  */
            description?: string;
        };
        WebhookSubscriptionChange: {
            /**
             * @description Public https address
             * @example https://example.com/hook
             */
            url?: string;
            /** @description Events that are sent to the address */
            events?: ("notification.delivered" | "notification.failed" | "preference.changed")[];
            /**
             * @description Another webhook provider whose secret signs, for a subscription that was created with one
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id?: string;
            description?: string;
            /** @enum {string} */
            status?: "active" | "disabled";
        };
        WebhookDeliveryList: {
            items: components["schemas"]["WebhookDeliverySummary"][];
            next_cursor: string | null;
        };
        WebhookReplayCount: {
            count: number;
        };
        WebhookReplayRequest: {
            /** Format: date-time */
            since: string;
            /**
             * @description Returns the count and replays nothing
             * @default false
             */
            dry_run?: boolean;
        };
        WebhookSecret: {
            /**
             * @description Identifier of the form whsub_<26 characters>
             * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            subscription_id: string;
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            /** @description whsec_ and base64; the HMAC key is the decoded bytes. Shown once. */
            secret: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            previous_valid_until: string;
        };
        WebhookTest: {
            /**
             * @description Identifier of the form whdel_<26 characters>
             * @example whdel_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            delivery_id: string;
        };
        ConsentEntry: {
            /**
             * @description Identifier of the form optin_<26 characters>
             * @example optin_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            id: string;
            /**
             * @description E.164 number
             * @example +15551230001
             */
            phone_e164: string;
            reference: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            recorded_at: string;
            /** @enum {string} */
            action: "opt_in" | "opt_out" | "marketing_stop" | "marketing_resume";
            /** @description For an opt-in, its source in the request. Otherwise `reply`, `button`, `preference` or `carrier` for an action of the recipient, or `request` for a call of the API */
            source: string;
            evidence_url: string | null;
            /** @description Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, so that no address can be found from it. Null after an erasure. */
            recipient_tag: string | null;
            /**
             * @description Consent of the number after this entry
             * @enum {string}
             */
            status: "none" | "active" | "revoked";
        };
        OptIn: {
            /**
             * @description Identifier of the form optin_<26 characters>
             * @example optin_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            id: string;
            /**
             * @description E.164 number
             * @example +15551230001
             */
            phone_e164: string;
            reference: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            recorded_at: string;
            /** @enum {string} */
            source: "checkout" | "web_form" | "ivr" | "import";
            evidence_url: string | null;
            /** @constant */
            status: "active";
        };
        NewOptIn: {
            /**
             * @description E.164 number
             * @example +15551230001
             */
            phone_e164: string;
            /** @enum {string} */
            source: "checkout" | "web_form" | "ivr" | "import";
            reference?: string;
            /**
             * @description https address that shows the opt-in. Required after a STOP, and different from earlier ones of this number.
             * @example https://shop.example/opt-ins/4711
             */
            evidence_url?: string;
        };
        Consent: {
            /**
             * @description E.164 number
             * @example +15551230001
             */
            phone_e164: string;
            /** @enum {string} */
            status: "active" | "revoked" | "none";
            /** @enum {string} */
            marketing: "allowed" | "stopped";
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            changed_at: string;
            /** @description The latest 1,000 entries, newest first */
            history: components["schemas"]["ConsentEntry"][];
        };
        OptOut: {
            /**
             * @description Identifier of the form optin_<26 characters>
             * @example optin_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            id: string;
            /**
             * @description E.164 number
             * @example +15551230001
             */
            phone_e164: string;
            reference: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            recorded_at: string;
            /** @constant */
            status: "revoked";
        };
        NewOptOut: {
            /**
             * @description E.164 number
             * @example +15551230001
             */
            phone_e164: string;
            reference?: string;
        };
        WhatsAppTemplate: {
            /**
             * @description Identifier of the form prov_<26 characters>
             * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
             */
            provider_id: string;
            name: string;
            language: string;
            /** @description The carrier's state in lower case; only `approved` templates are sent */
            status: string;
            category: string;
            quality: string | null;
            /** @description Null until the account has been read */
            content: components["schemas"]["WhatsAppTemplateContent"] | null;
            placeholders: components["schemas"]["WhatsAppPlaceholders"] | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            reported_at: string;
        };
        WhatsAppPlaceholders: {
            header: {
                type: string;
                /** @description Of a named placeholder in a text */
                name: string | null;
            } | null;
            /** @description `1`, `2`…, or the names */
            body: string[];
            buttons: {
                index: number;
                type: string;
                text: string;
            }[];
        };
        /** @description RFC 9457 problem details with the error code at top level. */
        Problem: {
            type: string;
            title: string;
            status: number;
            code: string;
            detail: string;
            errors?: {
                path: string;
                message: string;
            }[];
            /** @description With `otp_invalid_code`: how many more codes may be tried */
            attempts_remaining?: number;
            request_id?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getUserTokenKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the public keys that verify user tokens (RFC 7517) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "EC",
                     *           "crv": "P-256",
                     *           "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                     *           "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
                     *           "kid": "inbox-stream-2026",
                     *           "alg": "ES256",
                     *           "use": "sig"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Jwks"];
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /**
                 * @description Only items of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Only items with this status
                 * @example delivered
                 */
                status?: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
                /**
                 * @description Identifier of the form app_<26 characters>
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Key of a published event of the application
                 * @example order.shipped
                 */
                event_key?: string;
                /**
                 * @description Only items of live or of test keys
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description The complete recipient: E.164 number, email address, user id or URL. Looked up by its keyed hash.
                 * @example +14155550100
                 */
                recipient?: string;
                /**
                 * @description In place of recipient: see POST /recipients/lookup
                 * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                 */
                recipient_token?: string;
                /**
                 * @description Language of the text
                 * @example de
                 */
                locale?: string;
                /**
                 * @description The broadcast that sent it
                 * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                broadcast_id?: string;
                /**
                 * @description The digest that the notification is an item of, or the message of
                 * @example dig_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                digest_id?: string;
                /**
                 * @description Created at this time or later
                 * @example 2026-11-21T00:00:00.000Z
                 */
                from?: string;
                /**
                 * @description Created before this time
                 * @example 2026-11-22T00:00:00.000Z
                 */
                to?: string;
                /**
                 * @description Page number, within the first 10000 rows. Use cursor for later rows; page is ignored with it.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List delivery activity of all applications and channels, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "total_count_capped": false,
                     *       "page": 1,
                     *       "items": [
                     *         {
                     *           "transaction_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_name": "Shop",
                     *           "channel": "sms",
                     *           "recipient_masked": "+1415***0100",
                     *           "recipient_tag": "k7qd",
                     *           "event_key": "order.shipped",
                     *           "status": "delivered",
                     *           "failure_reason": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "retryable": false,
                     *           "retry_count": 0,
                     *           "locale": "de",
                     *           "requested_locale": null,
                     *           "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "digest_id": "dig_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "mode": "live"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActivityList"];
                };
            };
        };
    };
    getActivity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item
                 * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve an activity item with its delivery attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_name": "Shop",
                     *       "channel": "sms",
                     *       "recipient_masked": "+1415***0100",
                     *       "recipient_tag": "k7qd",
                     *       "event_key": "order.shipped",
                     *       "status": "delivered",
                     *       "failure_reason": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "retryable": false,
                     *       "retry_count": 0,
                     *       "locale": "de",
                     *       "requested_locale": null,
                     *       "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "digest_id": "dig_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                     *       "attempts": [
                     *         {
                     *           "attempt_id": "att_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "delivery_id": "whdel_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "number": 1,
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "provider_name": "Twilio",
                     *           "started_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": null,
                     *           "outcome": "accepted",
                     *           "ambiguous": false,
                     *           "provider_code": "sent",
                     *           "provider_message": null,
                     *           "provider_message_id": "SM0123456789abcdef0123456789abcdef",
                     *           "receipts": null
                     *         }
                     *       ],
                     *       "otp": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActivityDetail"];
                };
            };
        };
    };
    readContent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the item
                 * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the rendered content of a notification. Each look is recorded in the audit log, but not its repetition under the same Idempotency-Key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "content": {
                     *         "text": "Hello Ada, your order A-1042 was shipped."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SentContent"];
                };
            };
        };
    };
    retryActivity: {
        parameters: {
            query?: {
                /**
                 * @description The retry_count that the caller has seen. If it has grown since, the answer is 409 retry_in_progress, so that two clicks retry once.
                 * @example 0
                 */
                expected_retry_count?: number;
            };
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the item
                 * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retry a failed notification */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "retry_queued",
                     *       "transaction_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "queued_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RetryQueued"];
                };
            };
        };
    };
    exportActivity: {
        parameters: {
            query?: {
                /**
                 * @description Only items of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Only items with this status
                 * @example scheduled
                 */
                status?: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
                /**
                 * @description Identifier of the form app_<26 characters>
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Key of a published event of the application
                 * @example order.shipped
                 */
                event_key?: string;
                /**
                 * @description Only items of live or of test keys
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description The complete recipient: E.164 number, email address, user id or URL. Looked up by its keyed hash.
                 * @example +14155550100
                 */
                recipient?: string;
                /**
                 * @description In place of recipient: see POST /recipients/lookup
                 * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                 */
                recipient_token?: string;
                /**
                 * @description Language of the text
                 * @example de
                 */
                locale?: string;
                /**
                 * @description The broadcast that sent it
                 * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                broadcast_id?: string;
                /**
                 * @description The digest that the notification is an item of, or the message of
                 * @example dig_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                digest_id?: string;
                /**
                 * @description Created at this time or later
                 * @example 2026-11-21T00:00:00.000Z
                 */
                from?: string;
                /**
                 * @description Created before this time
                 * @example 2026-11-22T00:00:00.000Z
                 */
                to?: string;
                /**
                 * @description Format of the file
                 * @example csv
                 */
                format?: "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the activity as a file, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example transaction_id,created_at,application_name,event_key,mode,channel,recipient_masked,recipient_tag,status,failure_reason,retryable,retry_count,locale,broadcast_id,digest_id,provider_id,provider_name,credits,cost,currency,segments
                     *     notif_01jd3x8qk5w9t2m4v6b8n0p2r4,2026-11-21T09:30:00.000Z,Shop,order.shipped,live,sms,'+1415***0100,k7qd,delivered,,false,0,de,bc_01jd3x8qk5w9t2m4v6b8n0p2r4,dig_01jd3x8qk5w9t2m4v6b8n0p2r4,prov_01jd3x8qk5w9t2m4v6b8n0p2r4,Twilio,1,0.045,EUR,1
                     */
                    "text/csv": string;
                    /** @example {"transaction_id":"notif_01jd3x8qk5w9t2m4v6b8n0p2r4","application_name":"Shop","channel":"sms","recipient_masked":"+1415***0100","recipient_tag":"k7qd","event_key":"order.shipped","status":"delivered","failure_reason":null,"created_at":"2026-11-21T09:30:00.000Z","retryable":false,"retry_count":0,"locale":"de","requested_locale":null,"broadcast_id":"bc_01jd3x8qk5w9t2m4v6b8n0p2r4","digest_id":"dig_01jd3x8qk5w9t2m4v6b8n0p2r4","mode":"live","provider_id":"prov_01jd3x8qk5w9t2m4v6b8n0p2r4","provider_name":"Twilio","credits":1,"segments":1,"cost":"0.045","currency":"EUR"} */
                    "application/x-ndjson": string;
                };
            };
        };
    };
    listRetryJobs: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List retry jobs, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "retry_id": "retry_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "status": "running",
                     *           "filters": {
                     *             "channel": "sms",
                     *             "status": "failed",
                     *             "event_key": "order.shipped"
                     *           },
                     *           "count": 12,
                     *           "count_capped": false,
                     *           "processed": 8,
                     *           "retried": 7,
                     *           "skipped": 1,
                     *           "requested_by": "op_7d8f0a3c",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["RetryJobList"];
                };
            };
        };
    };
    createRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "status": "failed",
                 *       "event_key": "order.shipped"
                 *     }
                 */
                "application/json": components["schemas"]["RetryJobRequest"];
            };
        };
        responses: {
            /** @description Create a job that retries all matching failed items at a limited rate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 12,
                     *       "count_capped": false
                     *     }
                     */
                    "application/json": components["schemas"]["RetryJobCount"];
                };
            };
            /** @description Create a job that retries all matching failed items at a limited rate */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retry_id": "retry_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "status": "running",
                     *       "filters": {
                     *         "channel": "sms",
                     *         "status": "failed",
                     *         "event_key": "order.shipped"
                     *       },
                     *       "count": 12,
                     *       "count_capped": false,
                     *       "processed": 8,
                     *       "retried": 7,
                     *       "skipped": 1,
                     *       "requested_by": "op_7d8f0a3c",
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["RetryJob"];
                };
            };
        };
    };
    getRetryJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the retry
                 * @example retry_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                retry_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a retry job with its progress */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retry_id": "retry_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "status": "running",
                     *       "filters": {
                     *         "channel": "sms",
                     *         "status": "failed",
                     *         "event_key": "order.shipped"
                     *       },
                     *       "count": 12,
                     *       "count_capped": false,
                     *       "processed": 8,
                     *       "retried": 7,
                     *       "skipped": 1,
                     *       "requested_by": "op_7d8f0a3c",
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["RetryJob"];
                };
            };
        };
    };
    cancelRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the retry
                 * @example retry_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                retry_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a retry job. Items that it has already retried are not affected. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retry_id": "retry_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "status": "running",
                     *       "filters": {
                     *         "channel": "sms",
                     *         "status": "failed",
                     *         "event_key": "order.shipped"
                     *       },
                     *       "count": 12,
                     *       "count_capped": false,
                     *       "processed": 8,
                     *       "retried": 7,
                     *       "skipped": 1,
                     *       "requested_by": "op_7d8f0a3c",
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["RetryJob"];
                };
            };
        };
    };
    summarizeActivity: {
        parameters: {
            query?: {
                /**
                 * @description Length of the periods that are summed up
                 * @example hour
                 */
                interval?: "hour" | "day";
                /**
                 * @description Rounded down to the interval. Default: 24 hours or 30 days before to. At most 750 intervals.
                 * @example 2026-11-21T00:00:00.000Z
                 */
                from?: string;
                /**
                 * @description Rounded up to the interval. Default: now.
                 * @example 2026-11-22T00:00:00.000Z
                 */
                to?: string;
                /**
                 * @description Only items of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Only items with this status
                 * @example scheduled
                 */
                status?: "scheduled" | "queued" | "sent" | "delivered" | "undelivered" | "failed" | "cancelled" | "verified" | "expired";
                /**
                 * @description Identifier of the form app_<26 characters>
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Only items of live or of test keys
                 * @example live
                 */
                mode?: "live" | "test";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count items by channel and present status, for each hour or day (UTC) of their creation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "interval": "hour",
                     *       "from": "2026-11-21T00:00:00.000Z",
                     *       "to": "2026-11-22T00:00:00.000Z",
                     *       "buckets": [
                     *         {
                     *           "starts_at": "2026-11-21T09:00:00.000Z",
                     *           "counts": [
                     *             {
                     *               "channel": "sms",
                     *               "status": "scheduled",
                     *               "count": 12
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ActivitySummary"];
                };
            };
        };
    };
    listApplications: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the applications of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "name": "Shop",
                     *           "allowed_origins": [
                     *             "https://shop.example"
                     *           ],
                     *           "otp": {},
                     *           "default_locale": null,
                     *           "default_time_zone": null,
                     *           "bulk_requires_topic": false,
                     *           "brand": {
                     *             "color": "#0a5dc2"
                     *           },
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApplicationList"];
                };
            };
        };
    };
    createApplication: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "allowed_origins": [
                 *         "https://shop.example"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description Origins whose pages may call the inbox and the live stream; each in full, without wildcards */
                    allowed_origins?: string[];
                    /**
                     * @description How the application sends codes
                     * @default {}
                     */
                    otp?: {
                        /** @description Prefixes of the numbers that codes may be sent to. Default: all numbers */
                        allowed_countries?: string[];
                        /**
                         * @description Host of the site where users enter the code; browsers fill it in there
                         * @example shop.example
                         */
                        autofill_host?: string;
                        /** @description Most codes that the application sends in a minute */
                        sends_per_minute?: number;
                    };
                    /**
                     * @description Language of messages whose request and user name none, and of texts that are no translation
                     * @default null
                     */
                    default_locale?: string | null;
                    /**
                     * @description Zone of times in messages whose request and user name none
                     * @default null
                     */
                    default_time_zone?: string | null;
                    /**
                     * @description Whether bulk messages without a topic are refused with topic_required
                     * @default false
                     */
                    bulk_requires_topic?: boolean;
                    /**
                     * @description How pages that recipients open look
                     * @default {}
                     * @example {
                     *       "color": "#0a5dc2"
                     *     }
                     */
                    brand?: {
                        /**
                         * @description Color of buttons and links
                         * @example #0a5dc2
                         */
                        color?: string;
                        /**
                         * Format: uri
                         * @description Address of the logo
                         * @example https://shop.example/logo.svg
                         */
                        logo_url?: string;
                    };
                };
            };
        };
        responses: {
            /** @description Create an application */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Shop",
                     *       "allowed_origins": [
                     *         "https://shop.example"
                     *       ],
                     *       "otp": {},
                     *       "default_locale": null,
                     *       "default_time_zone": null,
                     *       "bulk_requires_topic": false,
                     *       "brand": {
                     *         "color": "#0a5dc2"
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    getApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve an application */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Shop",
                     *       "allowed_origins": [
                     *         "https://shop.example"
                     *       ],
                     *       "otp": {},
                     *       "default_locale": null,
                     *       "default_time_zone": null,
                     *       "bulk_requires_topic": false,
                     *       "brand": {
                     *         "color": "#0a5dc2"
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    deleteApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete an application with its webhook subscriptions, cancel its broadcasts, and revoke its API keys and the tokens of its users. Its other accepted messages are still sent, and its providers and activity are kept. Its lists are deleted within minutes, and its users after 31 days. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeApplication: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web shop"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description Origins whose pages may call the inbox and the live stream; each in full, without wildcards */
                    allowed_origins?: string[];
                    /** @description Language of messages whose request and user name none, and of texts that are no translation */
                    default_locale?: string | null;
                    /** @description Zone of times in messages whose request and user name none */
                    default_time_zone?: string | null;
                    /** @description Whether bulk messages without a topic are refused with topic_required */
                    bulk_requires_topic?: boolean;
                    /**
                     * @description How pages that recipients open look
                     * @example {
                     *       "color": "#0a5dc2"
                     *     }
                     */
                    brand?: {
                        /**
                         * @description Color of buttons and links
                         * @example #0a5dc2
                         */
                        color?: string;
                        /**
                         * Format: uri
                         * @description Address of the logo
                         * @example https://shop.example/logo.svg
                         */
                        logo_url?: string;
                    };
                    /** @description Settings that are absent keep their values; null removes one */
                    otp?: {
                        allowed_countries?: string[] | null;
                        autofill_host?: string | null;
                        sends_per_minute?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description Change an application. Fields that are absent keep their values, within otp too; null removes a setting of otp. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Shop",
                     *       "allowed_origins": [
                     *         "https://shop.example"
                     *       ],
                     *       "otp": {},
                     *       "default_locale": null,
                     *       "default_time_zone": null,
                     *       "bulk_requires_topic": false,
                     *       "brand": {
                     *         "color": "#0a5dc2"
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    listDigests: {
        parameters: {
            query?: {
                /**
                 * @description Key of a published event of the application
                 * @example order.shipped
                 */
                event_key?: string;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the digests of an application that are not sent yet, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "digest_id": "dig_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "event_key": "order.shipped",
                     *           "mode": "live",
                     *           "channel": "sms",
                     *           "priority": "transactional",
                     *           "recipient_masked": "+1415***0100",
                     *           "items": 3,
                     *           "opened_at": "2026-11-21T09:30:00.000Z",
                     *           "closes_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OpenDigestList"];
                };
            };
        };
    };
    closeDigest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the digest
                 * @example dig_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                digest_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Close a digest now. It is sent within seconds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "digest_id": "dig_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "mode": "live",
                     *       "channel": "sms",
                     *       "priority": "transactional",
                     *       "recipient_masked": "+1415***0100",
                     *       "items": 3,
                     *       "opened_at": "2026-11-21T09:30:00.000Z",
                     *       "closes_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenDigest"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only items with this status
                 * @example published
                 */
                status?: "draft" | "published" | "inactive";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the events of an application by key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "event_key": "order.shipped",
                     *           "name": "Order shipped",
                     *           "status": "published",
                     *           "version": 1,
                     *           "allowed_channels": [
                     *             "sms"
                     *           ],
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "has_draft": false
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventList"];
                };
            };
        };
    };
    createEvent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_key": "order.shipped",
                 *       "name": "Order shipped",
                 *       "allowed_channels": [
                 *         "sms"
                 *       ],
                 *       "templates": {
                 *         "sms": {
                 *           "body": "Hello {{name}}, your order {{order}} was shipped."
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewEvent"];
            };
        };
        responses: {
            /** @description Create an event of an application */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "name": "Order shipped",
                     *       "status": "published",
                     *       "version": 1,
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": null,
                     *       "digest": null,
                     *       "draft": null
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve an event with its templates and its draft */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "name": "Order shipped",
                     *       "status": "published",
                     *       "version": 1,
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": null,
                     *       "digest": null,
                     *       "draft": null
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    replaceEvent: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order shipped",
                 *       "allowed_channels": [
                 *         "sms"
                 *       ],
                 *       "templates": {
                 *         "sms": {
                 *           "body": "Hello {{name}}, your order {{order}} was shipped."
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EventContent"];
            };
        };
        responses: {
            /** @description Save a draft of an event. Sends use the published version until the draft is published. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "name": "Order shipped",
                     *       "status": "published",
                     *       "version": 1,
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": null,
                     *       "digest": null,
                     *       "draft": null
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    deactivateEvent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deactivate an event. Notifications that were accepted before are still sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "name": "Order shipped",
                     *       "status": "published",
                     *       "version": 1,
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": null,
                     *       "digest": null,
                     *       "draft": null
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    previewEvent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "data": {
                 *         "name": "Ada",
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EventPreview"];
            };
        };
        responses: {
            /** @description Preview the templates of an event without sending */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event_key": "order.shipped",
                     *       "version": 1,
                     *       "rendered": {
                     *         "sms": {
                     *           "body": "Hello Ada, your order A-1042 was shipped."
                     *         }
                     *       },
                     *       "locales": {
                     *         "sms": null
                     *       },
                     *       "sms_segments": {
                     *         "encoding": "GSM-7",
                     *         "segments": 1,
                     *         "outside": []
                     *       },
                     *       "whatsapp_message": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Key of a published event of the application
                         * @example order.shipped
                         */
                        event_key: string;
                        /** @description Null: the draft, or the templates of the request */
                        version: number | null;
                        rendered: {
                            email?: {
                                subject: string;
                                /** @description Made from `html_body` where it is absent */
                                body?: string;
                                html_body?: string;
                                /** @description What lists of messages show after the subject; requires `html_body` */
                                preheader?: string;
                                /**
                                 * @description The layout around its texts
                                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                                 */
                                layout_id?: string;
                            };
                            sms?: {
                                body: string;
                            };
                            whatsapp?: {
                                template_name: string;
                                language: string;
                                /** @enum {string} */
                                category: "marketing" | "utility" | "authentication";
                                /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                                parameters: string[] | {
                                    [key: string]: string;
                                };
                                /** @description Required if the header of the template has a placeholder or is a file */
                                header?: {
                                    /** @enum {string} */
                                    type: "text" | "image" | "video" | "document";
                                    /** @description Text of the placeholder; of a file its https address */
                                    value: string;
                                    /** @description Of a named placeholder */
                                    name?: string;
                                };
                                /** @description Buttons of the template that have a placeholder */
                                buttons?: {
                                    /** @description Position among the buttons of the template */
                                    index: number;
                                    /** @enum {string} */
                                    type: "url" | "copy_code";
                                    /** @description End of the address, or the code to copy */
                                    value: string;
                                }[];
                            };
                            in_app?: {
                                title: string;
                                body: string;
                                data?: {
                                    [key: string]: components["schemas"]["JsonValue"];
                                };
                            };
                            webhook?: {
                                data: {
                                    [key: string]: components["schemas"]["JsonValue"];
                                };
                            };
                        };
                        /** @description Language of the text of each channel; null: the text that is no translation */
                        locales: {
                            [key: string]: string | null;
                        };
                        /** @description Null without an SMS */
                        sms_segments: components["schemas"]["SmsSegments"] | null;
                        /** @description The message as a phone shows it; null if no account of the tenant has the template */
                        whatsapp_message: components["schemas"]["WhatsAppTemplateContent"] | null;
                    };
                };
            };
        };
    };
    publishEvent: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Publish the draft of an event as a new version, or activate an inactive event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "name": "Order shipped",
                     *       "status": "draft",
                     *       "version": 1,
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": "newsletter",
                     *       "digest": null,
                     *       "draft": null,
                     *       "warnings": [
                     *         {
                     *           "locale": "fr",
                     *           "channel": "sms",
                     *           "warning": "missing"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PublishedEvent"];
                };
            };
        };
    };
    sendEventTest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "recipient": "+14155550100",
                 *       "data": {
                 *         "name": "Ada",
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EventTest"];
            };
        };
        responses: {
            /** @description Send a test message of an event to your own number or address, and return the answer of the carrier */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "is_test": true,
                     *       "channel": "sms",
                     *       "recipient_masked": "+1415***0100",
                     *       "locale": "de",
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "kind": "twilio",
                     *       "outcome": "accepted",
                     *       "code": null,
                     *       "message": null,
                     *       "provider_message_id": "SM0123456789abcdef0123456789abcdef",
                     *       "sms_segments": {
                     *         "encoding": "GSM-7",
                     *         "segments": 1,
                     *         "outside": []
                     *       },
                     *       "duration_ms": 84,
                     *       "sent_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["TestMessage"];
                };
            };
        };
    };
    listEventTranslations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the translations of an event: of its draft, or of the current version without one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                     *       "texts": {
                     *         "sms.body": "Hello {{name}}, your order {{order}} was shipped."
                     *       },
                     *       "translations": [
                     *         {
                     *           "locale": "de",
                     *           "channels": [
                     *             "sms"
                     *           ],
                     *           "missing_channels": [],
                     *           "outdated_channels": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TranslationCoverage"];
                };
            };
        };
    };
    getEventTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
                /**
                 * @description Id of the locale
                 * @example de
                 */
                locale: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a translation of an event as a file for translators */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                     *       "texts": {
                     *         "sms.body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TranslationFile"];
                };
            };
        };
    };
    putEventTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
                /**
                 * @description Id of the locale
                 * @example de
                 */
                locale: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                 *       "texts": {
                 *         "sms.body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewTranslationFile"];
            };
        };
        responses: {
            /** @description Save a translation in the draft of an event. Sends use it once the draft is published. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                     *       "texts": {
                     *         "sms.body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TranslationFile"];
                };
            };
        };
    };
    listEventVersions: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the published versions of an event, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "version": 1,
                     *           "name": "Order shipped",
                     *           "allowed_channels": [
                     *             "sms"
                     *           ],
                     *           "is_current": true,
                     *           "published_at": "2026-11-21T09:30:00.000Z",
                     *           "published_by": "op_7d8f0a3c"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventVersionList"];
                };
            };
        };
    };
    getEventVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
                /**
                 * @description Id of the version
                 * @example 1
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a published version of an event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 1,
                     *       "name": "Order shipped",
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "is_current": true,
                     *       "published_at": "2026-11-21T09:30:00.000Z",
                     *       "published_by": "op_7d8f0a3c",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": null,
                     *       "digest": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventVersion"];
                };
            };
        };
    };
    restoreEventVersion: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the event key
                 * @example order.shipped
                 */
                event_key: string;
                /**
                 * @description Id of the version
                 * @example 1
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Roll back an event: publish the content of an earlier version as a new version. The draft is kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_key": "order.shipped",
                     *       "name": "Order shipped",
                     *       "status": "published",
                     *       "version": 1,
                     *       "allowed_channels": [
                     *         "sms"
                     *       ],
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       },
                     *       "topic": null,
                     *       "digest": null,
                     *       "draft": null
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description Only keys of this mode
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the API keys of an application, including revoked ones, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "name": "Order service",
                     *           "mode": "live",
                     *           "permissions": [
                     *             "notifications:send"
                     *           ],
                     *           "rate_limit_per_second": null,
                     *           "status": "active",
                     *           "expires_at": null,
                     *           "revoked_at": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order service",
                 *       "permissions": [
                 *         "notifications:send",
                 *         "notifications:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    permissions: ("notifications:send" | "notifications:read" | "otp:send" | "otp:verify" | "otp:custom_code" | "inbox:token" | "domains:manage" | "webhooks:manage" | "recipients:manage" | "lists:manage")[];
                    /** @default null */
                    rate_limit_per_second?: number | null;
                    /**
                     * @default live
                     * @enum {string}
                     */
                    mode?: "live" | "test";
                };
            };
        };
        responses: {
            /** @description Create an API key. The response is the only one that contains the key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order service",
                     *       "mode": "live",
                     *       "permissions": [
                     *         "notifications:send"
                     *       ],
                     *       "rate_limit_per_second": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "api_key": "sk_live_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the key
                 * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve an API key, without its secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order service",
                     *       "mode": "live",
                     *       "permissions": [
                     *         "notifications:send"
                     *       ],
                     *       "rate_limit_per_second": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the key
                 * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke an API key. It stops working within a second. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeApiKey: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the key
                 * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "permissions": [
                 *         "notifications:send"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description Replaces all permissions */
                    permissions?: ("notifications:send" | "notifications:read" | "otp:send" | "otp:verify" | "otp:custom_code" | "inbox:token" | "domains:manage" | "webhooks:manage" | "recipients:manage" | "lists:manage")[];
                    rate_limit_per_second?: number | null;
                };
            };
        };
        responses: {
            /** @description Change the name, permissions or rate limit of an API key. Applies within a second. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order service",
                     *       "mode": "live",
                     *       "permissions": [
                     *         "notifications:send"
                     *       ],
                     *       "rate_limit_per_second": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the key
                 * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Time for which the previous key still works; 0 ends it at once
                     * @default 86400
                     */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Rotate an API key. The old and the new key both work until the overlap ends; until then neither can be rotated again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order service",
                     *       "mode": "live",
                     *       "permissions": [
                     *         "notifications:send"
                     *       ],
                     *       "rate_limit_per_second": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "api_key": "sk_live_…",
                     *       "previous_key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "previous_valid_until": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedApiKey"];
                };
            };
        };
    };
    listPreferenceChanges: {
        parameters: {
            query?: {
                /**
                 * @description Choices made with keys of this mode
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the recipient token
                 * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                 */
                recipient_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List every choice of the user or the address that a token stands for, and of what the user record links, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "topic": "newsletter",
                     *           "channel": "sms",
                     *           "before": null,
                     *           "after": "off",
                     *           "frequency_before": null,
                     *           "frequency_after": null,
                     *           "source": "page",
                     *           "of": null,
                     *           "actor": null,
                     *           "changed_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PreferenceEntryList"];
                };
            };
        };
    };
    getRecipientPreferences: {
        parameters: {
            query?: {
                /**
                 * @description Choices made with keys of this mode
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description Language of names and descriptions, BCP 47
                 * @example de
                 */
                locale?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the recipient token
                 * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                 */
                recipient_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the preferences of the user or the address that a token stands for, with what the user record links */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topics": [
                     *         {
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             {
                     *               "channel": "sms",
                     *               "state": "off",
                     *               "overridden": true,
                     *               "digests": false,
                     *               "frequency": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "topic": "*",
                     *           "channel": "sms",
                     *           "state": "off",
                     *           "frequency": null,
                     *           "source": "api",
                     *           "changed_at": "2026-11-21T09:30:00.000Z",
                     *           "of": "user"
                     *         }
                     *       ],
                     *       "names": [
                     *         {
                     *           "of": "user",
                     *           "recipient_token": "rcp_q1yZk0vX2mB7cR9s4tUvWx",
                     *           "recipient_masked": "u***2"
                     *         },
                     *         {
                     *           "of": "phone",
                     *           "recipient_token": "rcp_Zk0vX2mB7cR9s4tUvWxq1y",
                     *           "recipient_masked": "+15*****0001"
                     *         }
                     *       ],
                     *       "sharing": []
                     *     }
                     */
                    "application/json": components["schemas"]["RecipientPreferences"];
                };
            };
        };
    };
    listApiRequests: {
        parameters: {
            query?: {
                /**
                 * @description `refused`: status 400 and above
                 * @example refused
                 */
                outcome?: "all" | "refused";
                /**
                 * @description Identifier of the form key_<26 characters>
                 * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                key_id?: string;
                /**
                 * @description Only requests that were answered with this code
                 * @example validation_failed
                 */
                code?: string;
                /**
                 * @description The X-Request-Id of one request
                 * @example req_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                request_id?: string;
                /**
                 * @description Only resources that keys of this mode created
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List requests with the API keys of an application, newest first, of the last 7 days */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "request_id": "req_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "requested_at": "2026-11-21T09:30:00.000Z",
                     *           "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "method": "POST",
                     *           "path": "/api/v1/notifications",
                     *           "status": 422,
                     *           "code": "validation_failed",
                     *           "duration_ms": 84
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "not_stored": [
                     *         {
                     *           "status": 422,
                     *           "code": "validation_failed",
                     *           "requests": 40
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ApiRequest"][];
                        next_cursor: string | null;
                        /** @description Requests of the same days that were only counted, because many came at once */
                        not_stored: {
                            status: number;
                            code: string | null;
                            requests: number;
                        }[];
                    };
                };
            };
        };
    };
    listTopics: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the topics of an application by key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             "sms"
                     *           ],
                     *           "position": 0,
                     *           "translations": {
                     *             "de": {
                     *               "name": "Rundbrief",
                     *               "description": "Neue Produkte, einmal in der Woche"
                     *             }
                     *           },
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TopicList"];
                };
            };
        };
    };
    createTopic: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "topic_key": "newsletter",
                 *       "name": "Newsletter",
                 *       "description": "New products, once a week",
                 *       "kind": "on",
                 *       "channels": [
                 *         "sms"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewTopic"];
            };
        };
        responses: {
            /** @description Create a topic, which recipients may switch off */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "topic_key": "newsletter",
                     *       "name": "Newsletter",
                     *       "description": "New products, once a week",
                     *       "kind": "on",
                     *       "channels": [
                     *         "sms"
                     *       ],
                     *       "position": 0,
                     *       "translations": {
                     *         "de": {
                     *           "name": "Rundbrief",
                     *           "description": "Neue Produkte, einmal in der Woche"
                     *         }
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Topic"];
                };
            };
        };
    };
    getTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the topic key
                 * @example newsletter
                 */
                topic_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a topic */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "topic_key": "newsletter",
                     *       "name": "Newsletter",
                     *       "description": "New products, once a week",
                     *       "kind": "on",
                     *       "channels": [
                     *         "sms"
                     *       ],
                     *       "position": 0,
                     *       "translations": {
                     *         "de": {
                     *           "name": "Rundbrief",
                     *           "description": "Neue Produkte, einmal in der Woche"
                     *         }
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Topic"];
                };
            };
        };
    };
    replaceTopic: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the topic key
                 * @example newsletter
                 */
                topic_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Newsletter",
                 *       "description": "New products, once a week",
                 *       "kind": "on",
                 *       "channels": [
                 *         "sms"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TopicContent"];
            };
        };
        responses: {
            /** @description Change a topic. It takes effect for accepted messages too. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "topic_key": "newsletter",
                     *       "name": "Newsletter",
                     *       "description": "New products, once a week",
                     *       "kind": "on",
                     *       "channels": [
                     *         "sms"
                     *       ],
                     *       "position": 0,
                     *       "translations": {
                     *         "de": {
                     *           "name": "Rundbrief",
                     *           "description": "Neue Produkte, einmal in der Woche"
                     *         }
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Topic"];
                };
            };
        };
    };
    deleteTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id: string;
                /**
                 * @description Id of the topic key
                 * @example newsletter
                 */
                topic_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a topic that no event names. The choices of recipients are kept, for a topic of the same key. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /**
                 * @description Changes of this application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Changes by this actor
                 * @example op_7d8f0a3c
                 */
                actor_id?: string;
                /**
                 * @description Changes of this kind
                 * @example event.published
                 */
                action?: string;
                /**
                 * @description Changes of resources of this type
                 * @example event
                 */
                resource_type?: string;
                /**
                 * @description Changes of this resource
                 * @example order.shipped
                 */
                resource_id?: string;
                /**
                 * @description Entries at or after this time
                 * @example 2026-11-21T00:00:00.000Z
                 */
                from?: string;
                /**
                 * @description Entries before this time
                 * @example 2026-11-22T00:00:00.000Z
                 */
                to?: string;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List configuration changes, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "audit_id": "aud_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "tenant_id": "ten_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "occurred_at": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "kind": "operator",
                     *             "id": "op_7d8f0a3c"
                     *           },
                     *           "action": "event.published",
                     *           "resource": {
                     *             "type": "event",
                     *             "id": "order.shipped"
                     *           },
                     *           "before": {
                     *             "status": "draft"
                     *           },
                     *           "after": {
                     *             "status": "published"
                     *           },
                     *           "request_id": "req_01jd3x8qk5w9t2m4v6b8n0p2r4"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                /**
                 * @description Changes of this application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Changes by this actor
                 * @example op_7d8f0a3c
                 */
                actor_id?: string;
                /**
                 * @description Changes of this kind
                 * @example event.published
                 */
                action?: string;
                /**
                 * @description Changes of resources of this type
                 * @example event
                 */
                resource_type?: string;
                /**
                 * @description Changes of this resource
                 * @example order.shipped
                 */
                resource_id?: string;
                /**
                 * @description Entries at or after this time
                 * @example 2026-11-21T00:00:00.000Z
                 */
                from?: string;
                /**
                 * @description Entries before this time
                 * @example 2026-11-22T00:00:00.000Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export configuration changes as JSON lines, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"audit_id":"aud_01jd3x8qk5w9t2m4v6b8n0p2r4","tenant_id":"ten_01jd3x8qk5w9t2m4v6b8n0p2r4","application_id":"app_01jd3x8qk5w9t2m4v6b8n0p2r4","occurred_at":"2026-11-21T09:30:00.000Z","actor":{"kind":"operator","id":"op_7d8f0a3c"},"action":"event.published","resource":{"type":"event","id":"order.shipped"},"before":{"status":"draft"},"after":{"status":"published"},"request_id":"req_01jd3x8qk5w9t2m4v6b8n0p2r4"} */
                    "application/x-ndjson": string;
                };
            };
        };
    };
    listBroadcasts: {
        parameters: {
            query?: {
                /**
                 * @description Only items of this list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id?: string;
                /**
                 * @description Only resources that keys of this mode created
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List broadcasts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "mode": "live",
                     *           "channel": "sms",
                     *           "event_key": "order.shipped",
                     *           "status": "running",
                     *           "total": 12,
                     *           "accepted": 10,
                     *           "refused": 2,
                     *           "refusals": {
                     *             "recipient_unknown": 2
                     *           },
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["BroadcastList"];
                };
            };
        };
    };
    getBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the broadcast
                 * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a broadcast with its progress */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "channel": "sms",
                     *       "event_key": "order.shipped",
                     *       "status": "running",
                     *       "total": 12,
                     *       "accepted": 10,
                     *       "refused": 2,
                     *       "refusals": {
                     *         "recipient_unknown": 2
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    cancelBroadcast: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the broadcast
                 * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a broadcast with its notifications that no carrier has been given yet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "channel": "sms",
                     *       "event_key": "order.shipped",
                     *       "status": "running",
                     *       "total": 12,
                     *       "accepted": 10,
                     *       "refused": 2,
                     *       "refusals": {
                     *         "recipient_unknown": 2
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    pauseBroadcast: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the broadcast
                 * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pause a broadcast. Notifications that are accepted already are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "channel": "sms",
                     *       "event_key": "order.shipped",
                     *       "status": "running",
                     *       "total": 12,
                     *       "accepted": 10,
                     *       "refused": 2,
                     *       "refusals": {
                     *         "recipient_unknown": 2
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    resumeBroadcast: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the broadcast
                 * @example bc_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Resume a paused broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "channel": "sms",
                     *       "event_key": "order.shipped",
                     *       "status": "running",
                     *       "total": 12,
                     *       "accepted": 10,
                     *       "refused": 2,
                     *       "refusals": {
                     *         "recipient_unknown": 2
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List sending domains of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "domain_id": "dom_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "domain": "mail.shop.example",
                     *           "status": "pending",
                     *           "records": [
                     *             {
                     *               "purpose": "spf",
                     *               "type": "TXT",
                     *               "name": "mail.shop.example",
                     *               "value": "v=spf1 include:spf.notify.example ~all",
                     *               "ttl": 3600,
                     *               "status": "pending",
                     *               "needed_by": [
                     *                 "prov_01jd3x8qk5w9t2m4v6b8n0p2r4"
                     *               ]
                     *             }
                     *           ],
                     *           "carriers": [
                     *             {
                     *               "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *               "kind": "ses",
                     *               "name": "Amazon SES",
                     *               "status": "pending",
                     *               "checked_at": null
                     *             }
                     *           ],
                     *           "verified_at": null,
                     *           "last_checked_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DomainList"];
                };
            };
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "mail.shop.example"
                 *     }
                 */
                "application/json": components["schemas"]["NewDomain"];
            };
        };
        responses: {
            /** @description Add a sending domain. The response lists the DNS records to publish. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain_id": "dom_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "domain": "mail.shop.example",
                     *       "status": "pending",
                     *       "records": [
                     *         {
                     *           "purpose": "spf",
                     *           "type": "TXT",
                     *           "name": "mail.shop.example",
                     *           "value": "v=spf1 include:spf.notify.example ~all",
                     *           "ttl": 3600,
                     *           "status": "pending",
                     *           "needed_by": [
                     *             "prov_01jd3x8qk5w9t2m4v6b8n0p2r4"
                     *           ]
                     *         }
                     *       ],
                     *       "carriers": [
                     *         {
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "kind": "ses",
                     *           "name": "Amazon SES",
                     *           "status": "pending",
                     *           "checked_at": null
                     *         }
                     *       ],
                     *       "verified_at": null,
                     *       "last_checked_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the domain
                 * @example dom_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a sending domain and its DNS records */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain_id": "dom_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "domain": "mail.shop.example",
                     *       "status": "pending",
                     *       "records": [
                     *         {
                     *           "purpose": "spf",
                     *           "type": "TXT",
                     *           "name": "mail.shop.example",
                     *           "value": "v=spf1 include:spf.notify.example ~all",
                     *           "ttl": 3600,
                     *           "status": "pending",
                     *           "needed_by": [
                     *             "prov_01jd3x8qk5w9t2m4v6b8n0p2r4"
                     *           ]
                     *         }
                     *       ],
                     *       "carriers": [
                     *         {
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "kind": "ses",
                     *           "name": "Amazon SES",
                     *           "status": "pending",
                     *           "checked_at": null
                     *         }
                     *       ],
                     *       "verified_at": null,
                     *       "last_checked_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the domain
                 * @example dom_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a sending domain and its DKIM keys */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the domain
                 * @example dom_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Verify a sending domain by looking up its DNS records now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain_id": "dom_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "domain": "mail.shop.example",
                     *       "status": "pending",
                     *       "records": [
                     *         {
                     *           "purpose": "spf",
                     *           "type": "TXT",
                     *           "name": "mail.shop.example",
                     *           "value": "v=spf1 include:spf.notify.example ~all",
                     *           "ttl": 3600,
                     *           "status": "pending",
                     *           "needed_by": [
                     *             "prov_01jd3x8qk5w9t2m4v6b8n0p2r4"
                     *           ]
                     *         }
                     *       ],
                     *       "carriers": [
                     *         {
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "kind": "ses",
                     *           "name": "Amazon SES",
                     *           "status": "pending",
                     *           "checked_at": null
                     *         }
                     *       ],
                     *       "verified_at": null,
                     *       "last_checked_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /**
                 * @description How far back
                 * @example 24h
                 */
                period?: "24h" | "7d" | "30d";
                /**
                 * @description Only items of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Identifier of the form prov_<26 characters>
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id?: string;
                /**
                 * @description Only resources that keys of this mode created
                 * @example live
                 */
                mode?: "live" | "test";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the most frequent failures by provider and code of the carrier, with their trend */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-21T00:00:00.000Z",
                     *       "to": "2026-11-22T00:00:00.000Z",
                     *       "items": [
                     *         {
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "provider_name": "Twilio",
                     *           "kind": "twilio",
                     *           "channel": "sms",
                     *           "code": "30003",
                     *           "meaning": "30003 The phone is unreachable",
                     *           "failures": 12,
                     *           "failures_before": 4,
                     *           "buckets": [
                     *             0,
                     *             4,
                     *             8
                     *           ],
                     *           "last_at": "2026-11-21T14:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: date-time
                         * @example 2026-11-21T09:30:00.000Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @example 2026-11-21T09:30:00.000Z
                         */
                        to: string;
                        /** @description The 100 most frequent. Test keys reach the sandbox only: their failures count under the provider that it stands for. */
                        items: components["schemas"]["FailureGroup"][];
                    };
                };
            };
        };
    };
    findById: {
        parameters: {
            query: {
                /**
                 * @description Key id, request id or event key
                 * @example key_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Find the application of an API key, a request or an event, by the whole id or key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": "key",
                     *           "id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_name": "Shop"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["FoundId"][];
                    };
                };
            };
        };
    };
    streamInbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stream inbox events of the user. Last-Event-ID replays missed events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 7
                     *     event: connection.ready
                     *     data: {"connection_id":"con_01jd3x8qk5w9t2m4v6b8n0p2r4","recovered":true,"head_id":7,"unread_count":1}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    createUserToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": "user-42",
                 *       "ttl_seconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user's id in the application
                     * @example user-42
                     */
                    user_id: string;
                    /**
                     * @description Lifetime; streams opened with the token end with it
                     * @default 3600
                     */
                    ttl_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Create a user token for the inbox and the live stream */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTQyIn0.c2lnbmF0dXJl",
                     *       "expires_at": "2026-11-21T10:30:00.000Z",
                     *       "user_id": "user-42"
                     *     }
                     */
                    "application/json": components["schemas"]["UserToken"];
                };
            };
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /**
                 * @description Only unread notifications
                 * @example true
                 */
                unread_only?: "true" | "false";
                /**
                 * @description `data.category` of the notifications
                 * @example orders
                 */
                category?: string;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the notifications of the user, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "unread_count": 1,
                     *       "notifications": [
                     *         {
                     *           "id": "inapp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "title": "Order shipped",
                     *           "body": "Your order A-1042 was shipped.",
                     *           "is_read": false,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "data": {
                     *             "category": "orders",
                     *             "order": "A-1042"
                     *           },
                     *           "locale": "de"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Inbox"];
                };
            };
        };
    };
    deleteInboxNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item
                 * @example inapp_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a notification from the inbox */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    markInboxNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item
                 * @example inapp_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "is_read": true
                 *     }
                 */
                "application/json": {
                    is_read: boolean;
                };
            };
        };
        responses: {
            /** @description Mark a notification as read or unread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inapp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "title": "Order shipped",
                     *       "body": "Your order A-1042 was shipped.",
                     *       "is_read": false,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "data": {
                     *         "category": "orders",
                     *         "order": "A-1042"
                     *       },
                     *       "locale": "de"
                     *     }
                     */
                    "application/json": components["schemas"]["InboxNotification"];
                };
            };
        };
    };
    readWholeInbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Mark all notifications as read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "unread_count": 1
                     *     }
                     */
                    "application/json": {
                        unread_count: number;
                    };
                };
            };
        };
    };
    getUnreadCount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count the unread notifications of the user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "unread_count": 1
                     *     }
                     */
                    "application/json": {
                        unread_count: number;
                    };
                };
            };
        };
    };
    listLayouts: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List layouts of emails of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "layout_id": "lay_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "name": "Brand",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "version": 1,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "locales": [
                     *             "de"
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LayoutList"];
                };
            };
        };
    };
    createLayout: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brand",
                 *       "html_body": "<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>"
                 *     }
                 */
                "application/json": components["schemas"]["NewLayout"];
            };
        };
        responses: {
            /** @description Create a layout of emails */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "layout_id": "lay_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Brand",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "html_body": "<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>",
                     *       "translations": {
                     *         "de": {
                     *           "html_body": "<body>{{ content }}<p>Shop Ltd, Hauptstraße 1</p></body>"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Layout"];
                };
            };
        };
    };
    getLayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the layout
                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                layout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a layout */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "layout_id": "lay_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Brand",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "html_body": "<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>",
                     *       "translations": {
                     *         "de": {
                     *           "html_body": "<body>{{ content }}<p>Shop Ltd, Hauptstraße 1</p></body>"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Layout"];
                };
            };
        };
    };
    replaceLayout: {
        parameters: {
            query?: {
                /**
                 * @description Version that the request is based on. If the layout has another one: edit_conflict.
                 * @example 1
                 */
                expected_version?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the layout
                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                layout_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brand",
                 *       "html_body": "<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>"
                 *     }
                 */
                "application/json": components["schemas"]["NewLayout"];
            };
        };
        responses: {
            /** @description Replace a layout. Notifications accepted before keep their content. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "layout_id": "lay_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Brand",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "html_body": "<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>",
                     *       "translations": {
                     *         "de": {
                     *           "html_body": "<body>{{ content }}<p>Shop Ltd, Hauptstraße 1</p></body>"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Layout"];
                };
            };
        };
    };
    deleteLayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the layout
                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                layout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a layout that no event and no stored template uses, with its versions */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    previewLayout: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the layout
                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                layout_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "template_data": {
                 *         "name": "Ada",
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["LayoutPreview"];
            };
        };
        responses: {
            /** @description Preview a layout around a text, without sending */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "layout_id": "lay_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "rendered": {
                     *         "html_body": "<body><p>The content of the email.</p><p>Shop Ltd, 1 Main Street</p></body>",
                     *         "body": "The content of the email."
                     *       },
                     *       "locale": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Identifier of the form lay_<26 characters>
                         * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        layout_id: string;
                        /** @description Null: the texts of the request */
                        version: number | null;
                        rendered: {
                            html_body: string;
                            body: string;
                        };
                        /** @description Of the translation; null: the texts that are no translation */
                        locale: string | null;
                    };
                };
            };
        };
    };
    listLayoutVersions: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the layout
                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                layout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the versions of a layout, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "version": 1,
                     *           "name": "Brand",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "is_current": true,
                     *           "saved_at": "2026-11-21T09:30:00.000Z",
                     *           "saved_by": "op_7d8f0a3c"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LayoutVersionList"];
                };
            };
        };
    };
    getLayoutVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the layout
                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                layout_id: string;
                /**
                 * @description Id of the version
                 * @example 1
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a version of a layout */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 1,
                     *       "name": "Brand",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "is_current": true,
                     *       "saved_at": "2026-11-21T09:30:00.000Z",
                     *       "saved_by": "op_7d8f0a3c",
                     *       "html_body": "<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>",
                     *       "translations": {
                     *         "de": {
                     *           "html_body": "<body>{{ content }}<p>Shop Ltd, Hauptstraße 1</p></body>"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LayoutVersion"];
                };
            };
        };
    };
    listLists: {
        parameters: {
            query?: {
                /**
                 * @description Only resources that keys of this mode created
                 * @example live
                 */
                mode?: "live" | "test";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the lists of users, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "mode": "live",
                     *           "name": "Customers in Berlin",
                     *           "member_count": 12,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListList"];
                };
            };
        };
    };
    createList: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Customers in Berlin"
                 *     }
                 */
                "application/json": components["schemas"]["NewList"];
            };
        };
        responses: {
            /** @description Create a list of users */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "name": "Customers in Berlin",
                     *       "member_count": 12,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["List"];
                };
            };
        };
    };
    getList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a list */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "name": "Customers in Berlin",
                     *       "member_count": 12,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["List"];
                };
            };
        };
    };
    deleteList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a list with its members. Broadcasts to it end. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Customers in Berlin and Potsdam"
                 *     }
                 */
                "application/json": components["schemas"]["ListChange"];
            };
        };
        responses: {
            /** @description Rename a list */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "name": "Customers in Berlin",
                     *       "member_count": 12,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["List"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the members of a list, in no meaningful order. Pages of 1,000 export it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "user_id": "user-42",
                     *           "data": {
                     *             "name": "Ada"
                     *           },
                     *           "added_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListMembers"];
                };
            };
        };
    };
    putMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "members": [
                 *         {
                 *           "user_id": "user-42",
                 *           "data": {
                 *             "name": "Ada"
                 *           }
                 *         },
                 *         {
                 *           "user_id": "user-43"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewListMembers"];
            };
        };
        responses: {
            /** @description Add up to 1,000 members to a list. Known members get the new data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 2,
                     *       "member_count": 12
                     *     }
                     */
                    "application/json": components["schemas"]["ListImport"];
                };
            };
        };
    };
    deleteMember: {
        parameters: {
            query: {
                /**
                 * @description The user's id in the application
                 * @example user-42
                 */
                user_id: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a member from a list */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createBroadcast: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the list
                 * @example list_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                list_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "event_key": "order.shipped",
                 *       "data": {
                 *         "name": "Ada",
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewBroadcast"];
            };
        };
        responses: {
            /** @description Send a notification to each member of a list, in the bulk lane */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcast_id": "bc_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "list_id": "list_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "channel": "sms",
                     *       "event_key": "order.shipped",
                     *       "status": "running",
                     *       "total": 12,
                     *       "accepted": 10,
                     *       "refused": 2,
                     *       "refusals": {
                     *         "recipient_unknown": 2
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the caller: kind, tenant and permissions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "key",
                     *       "tenant_id": "ten_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "tenant_name": "Shop Ltd",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "key_id": "key_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "mode": "live",
                     *       "permissions": [
                     *         "notifications:send"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    createNotification: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "recipient": {
                 *         "phone": "+14155550100"
                 *       },
                 *       "event_key": "order.shipped",
                 *       "data": {
                 *         "name": "Ada",
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DispatchRequest"];
            };
        };
        responses: {
            /** @description Send a notification */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "accepted",
                     *       "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "delivery_status": "queued"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationAccepted"];
                };
            };
        };
    };
    getNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the notification
                 * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                notification_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a notification and its attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "event_key": "order.shipped",
                     *       "delivery_status": "delivered",
                     *       "recipient_masked": "+1415***0100",
                     *       "failure_reason": null,
                     *       "retryable": false,
                     *       "retry_count": 0,
                     *       "credits": 1,
                     *       "digest_id": "dig_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "locale": "de",
                     *       "requested_locale": null,
                     *       "metadata": {
                     *         "order": "A-1042"
                     *       },
                     *       "send_at": null,
                     *       "expires_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "read_at": null,
                     *       "attempts": [
                     *         {
                     *           "attempt_id": "att_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "number": 1,
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "started_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": null,
                     *           "outcome": "accepted",
                     *           "ambiguous": false,
                     *           "provider_code": "sent",
                     *           "provider_message": null,
                     *           "provider_message_id": "SM0123456789abcdef0123456789abcdef"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    cancelNotification: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the notification
                 * @example notif_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                notification_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a scheduled notification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "delivery_status": "cancelled",
                     *       "cancelled_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationCancelled"];
                };
            };
        };
    };
    createNotificationBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "channel": "sms",
                 *           "recipient": {
                 *             "phone": "+14155550100"
                 *           },
                 *           "event_key": "order.shipped",
                 *           "data": {
                 *             "name": "Ada",
                 *             "order": "A-1042"
                 *           }
                 *         },
                 *         {
                 *           "channel": "sms",
                 *           "recipient": {
                 *             "phone": "+14155550101"
                 *           },
                 *           "event_key": "order.shipped",
                 *           "data": {
                 *             "name": "Ada",
                 *             "order": "A-1042"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    requests: components["schemas"]["DispatchRequest"][];
                };
            };
        };
        responses: {
            /** @description Send up to 100 notifications. Each is accepted or refused on its own; results are in request order. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": "accepted",
                     *           "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "channel": "sms",
                     *           "delivery_status": "queued"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationBatch"];
                };
            };
        };
    };
    listOperators: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the names and email addresses of operators, by id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "operator_id": "op_7d8f0a3c",
                     *           "name": "Order shipped",
                     *           "email": "ada@shop.example",
                     *           "seen_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OperatorList"];
                };
            };
        };
    };
    eraseOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the operator
                 * @example op_7d8f0a3c
                 */
                operator_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase an operator's name and email address. The audit log keeps the id. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getOtp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the transaction
                 * @example otp_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the state of a one-time code */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction_id": "otp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "status": "delivered",
                     *       "channel": "sms",
                     *       "recipient_masked": "+1415***0100",
                     *       "failure_reason": null,
                     *       "attempts_remaining": 5,
                     *       "resends_remaining": 3,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "expires_at": "2026-11-21T09:35:00.000Z",
                     *       "verified_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Otp"];
                };
            };
        };
    };
    resendOtp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the transaction
                 * @example otp_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a new code for a transaction. The earlier code becomes invalid, unless the request is refused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "sent",
                     *       "transaction_id": "otp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "expires_in_seconds": 300
                     *     }
                     */
                    "application/json": components["schemas"]["OtpSent"];
                };
            };
        };
    };
    sendOtp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "recipient": "+14155550100",
                 *       "length": 6,
                 *       "ttl_seconds": 300
                 *     }
                 */
                "application/json": components["schemas"]["OtpRequest"];
            };
        };
        responses: {
            /** @description Send a one-time code. The response is sent after the commit of its message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "sent",
                     *       "transaction_id": "otp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "expires_in_seconds": 300
                     *     }
                     */
                    "application/json": components["schemas"]["OtpSent"];
                };
            };
        };
    };
    verifyOtp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transaction_id": "otp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                 *       "code": "493817"
                 *     }
                 */
                "application/json": {
                    transaction_id: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description Verify a one-time code. A code verifies once; five wrong codes lock the transaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "verified",
                     *       "transaction_id": "otp_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "verified_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OtpVerified"];
                };
            };
        };
    };
    getOwnPreferences: {
        parameters: {
            query?: {
                /**
                 * @description Language of names and descriptions, BCP 47
                 * @example de
                 */
                locale?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the user's own preferences */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topics": [
                     *         {
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             {
                     *               "channel": "sms",
                     *               "state": "off",
                     *               "overridden": true,
                     *               "digests": false,
                     *               "frequency": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "topic": "*",
                     *           "channel": "sms",
                     *           "state": "off",
                     *           "frequency": null,
                     *           "source": "api",
                     *           "changed_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    changeOwnPreferences: {
        parameters: {
            query?: {
                /**
                 * @description Language of names and descriptions, BCP 47
                 * @example de
                 */
                locale?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "topic": "*",
                 *           "channel": "sms",
                 *           "state": "off"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PreferenceChanges"];
            };
        };
        responses: {
            /** @description Change the user's own preferences. Messages that are not sent yet follow them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topics": [
                     *         {
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             {
                     *               "channel": "sms",
                     *               "state": "off",
                     *               "overridden": true,
                     *               "digests": false,
                     *               "frequency": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "topic": "*",
                     *           "channel": "sms",
                     *           "state": "off",
                     *           "frequency": null,
                     *           "source": "api",
                     *           "changed_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    explainPreference: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": "user-42",
                 *       "channel": "sms"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Required for operators
                     * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                     */
                    application_id?: string;
                    /**
                     * @description For operators: whose choices count. Default: live
                     * @enum {string}
                     */
                    mode?: "live" | "test";
                    /**
                     * @description The user's id in the application
                     * @example user-42
                     */
                    user_id?: string;
                    /**
                     * @description Email address or E.164 number
                     * @example ada@shop.example
                     */
                    address?: string;
                    /**
                     * @description In place of user_id: see POST /recipients/lookup
                     * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                     */
                    user_token?: string;
                    /**
                     * @description In place of address: see POST /recipients/lookup
                     * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                     */
                    address_token?: string;
                    /**
                     * @description Absent: a message without a topic
                     * @example newsletter
                     */
                    topic?: string;
                    /** @enum {string} */
                    channel: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                };
            };
        };
        responses: {
            /** @description Explain whether a message of a topic would be sent: everything that is checked, in order, and what decides */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sends": true,
                     *       "considered": [
                     *         {
                     *           "check": "topic",
                     *           "outcome": "sends",
                     *           "detail": "A message without a topic is always sent",
                     *           "decided": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PreferenceExplanation"];
                };
            };
        };
    };
    importPreferences: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "user_id": "user-42",
                 *           "topic": "*",
                 *           "channel": "sms",
                 *           "state": "off"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    rules: {
                        /**
                         * @description The user's id in the application
                         * @example user-42
                         */
                        user_id?: string;
                        /**
                         * @description Email address or E.164 number
                         * @example ada@shop.example
                         */
                        address?: string;
                        /**
                         * @description A topic_key, or * for every topic
                         * @example newsletter
                         */
                        topic: "*" | string;
                        /**
                         * @description A channel, or * for every channel
                         * @example email
                         */
                        channel: "*" | ("email" | "sms" | "whatsapp" | "in_app" | "webhook");
                        /** @description null removes the choice, so that the choices for `*` decide */
                        state: ("on" | "off") | null;
                        /** @description Window of digests, with state on; null: as the event says. Absent: it stays as it is. */
                        frequency?: ("instant" | "hourly" | "daily" | "weekly") | null;
                        /**
                         * Format: date-time
                         * @description When the person chose. Of several choices for the same, known or imported, the latest counts. Default: now.
                         */
                        changed_at?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Import up to 1,000 choices of recipients. If one of them is invalid, none is imported. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": 1,
                     *       "unchanged": 0
                     *     }
                     */
                    "application/json": components["schemas"]["PreferenceImport"];
                };
            };
        };
    };
    lookUpPreferences: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "ada@shop.example"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The user's id in the application
                     * @example user-42
                     */
                    user_id?: string;
                    /**
                     * @description Email address or E.164 number
                     * @example ada@shop.example
                     */
                    address?: string;
                    /**
                     * @description Language of names and descriptions, BCP 47
                     * @example pt-BR
                     */
                    locale?: string;
                };
            };
        };
        responses: {
            /** @description Retrieve the preferences of an address, of a user, or of both together */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topics": [
                     *         {
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             {
                     *               "channel": "sms",
                     *               "state": "off",
                     *               "overridden": true,
                     *               "digests": false,
                     *               "frequency": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "topic": "*",
                     *           "channel": "sms",
                     *           "state": "off",
                     *           "frequency": null,
                     *           "source": "api",
                     *           "changed_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    listProviderKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the kinds of providers with the schemas of their credentials */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": "twilio",
                     *           "channel": "sms",
                     *           "credentials": {},
                     *           "rotates_secret": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderKindList"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /**
                 * @description Only items of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the providers of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "channel": "sms",
                     *           "kind": "twilio",
                     *           "name": "Twilio",
                     *           "priority": 1,
                     *           "weight": 100,
                     *           "rate_limit_per_second": null,
                     *           "credentials": {
                     *             "account_sid": "AC0123456789abcdef0123456789abcdef",
                     *             "auth_token": "****89ab",
                     *             "from": "+15005550006"
                     *           },
                     *           "credentials_updated_at": "2026-11-21T09:30:00.000Z",
                     *           "callback_url": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
        };
    };
    createProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "kind": "twilio",
                 *       "name": "Twilio",
                 *       "credentials": {
                 *         "account_sid": "AC0123456789abcdef0123456789abcdef",
                 *         "from": "+15005550006",
                 *         "auth_token": "0123456789abcdef0123456789abcdef"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewProvider"];
            };
        };
        responses: {
            /** @description Add a provider. Messages are sent through it within a second. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "kind": "twilio",
                     *       "name": "Twilio",
                     *       "priority": 1,
                     *       "weight": 100,
                     *       "rate_limit_per_second": null,
                     *       "credentials": {
                     *         "account_sid": "AC0123456789abcdef0123456789abcdef",
                     *         "auth_token": "****89ab",
                     *         "from": "+15005550006"
                     *       },
                     *       "credentials_updated_at": "2026-11-21T09:30:00.000Z",
                     *       "callback_url": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedProvider"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the provider
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "kind": "twilio",
                     *       "name": "Twilio",
                     *       "priority": 1,
                     *       "weight": 100,
                     *       "rate_limit_per_second": null,
                     *       "credentials": {
                     *         "account_sid": "AC0123456789abcdef0123456789abcdef",
                     *         "auth_token": "****89ab",
                     *         "from": "+15005550006"
                     *       },
                     *       "credentials_updated_at": "2026-11-21T09:30:00.000Z",
                     *       "callback_url": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    deleteProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the provider
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a provider. Receipts of its earlier messages are processed for seven more days. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeProvider: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the provider
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Twilio in Europe",
                 *       "priority": 1
                 *     }
                 */
                "application/json": components["schemas"]["ProviderChange"];
            };
        };
        responses: {
            /** @description Change the name, priority, weight, rate limit or credentials of a provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "kind": "twilio",
                     *       "name": "Twilio",
                     *       "priority": 1,
                     *       "weight": 100,
                     *       "rate_limit_per_second": null,
                     *       "credentials": {
                     *         "account_sid": "AC0123456789abcdef0123456789abcdef",
                     *         "auth_token": "****89ab",
                     *         "from": "+15005550006"
                     *       },
                     *       "credentials_updated_at": "2026-11-21T09:30:00.000Z",
                     *       "callback_url": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    rotateProviderSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the provider
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rotate the signing secret. The previous one also signs for 24 hours; at most three sign at a time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                     *       "previous_valid_until": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderSecret"];
                };
            };
        };
    };
    testProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the provider
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Call the carrier with the credentials of a provider, without sending a message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "ok": true,
                     *       "code": null,
                     *       "message": "The account is active",
                     *       "details": {
                     *         "status": "active"
                     *       },
                     *       "duration_ms": 84,
                     *       "tested_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderTest"];
                };
            };
        };
    };
    sendProviderTest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the provider
                 * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recipient": "+14155550100"
                 *     }
                 */
                "application/json": components["schemas"]["ProviderTestMessage"];
            };
        };
        responses: {
            /** @description Send a test message through a provider to your own number or address, and return the answer of the carrier */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "is_test": true,
                     *       "channel": "sms",
                     *       "recipient_masked": "+1415***0100",
                     *       "locale": "de",
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "kind": "twilio",
                     *       "outcome": "accepted",
                     *       "code": null,
                     *       "message": null,
                     *       "provider_message_id": "SM0123456789abcdef0123456789abcdef",
                     *       "sms_segments": {
                     *         "encoding": "GSM-7",
                     *         "segments": 1,
                     *         "outside": []
                     *       },
                     *       "duration_ms": 84,
                     *       "sent_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["TestMessage"];
                };
            };
        };
    };
    lookUpRecipient: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recipient": "+14155550100"
                 *     }
                 */
                "application/json": {
                    /** @description The complete recipient: E.164 number, email address, user id or URL. The recipient may be unknown to the service. */
                    recipient: string;
                };
            };
        };
        responses: {
            /** @description Return the token of a recipient, by which lists are filtered without its number or address in the URL */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recipient_token": "rcp_q1yZk0vX2mB7cR9s4tUvWx",
                     *       "recipient_tag": "k7qd"
                     *     }
                     */
                    "application/json": components["schemas"]["RecipientLookup"];
                };
            };
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /**
                 * @description Only items of this channel
                 * @example sms
                 */
                channel?: "email" | "sms";
                /**
                 * @description Only items with this reason
                 * @example bounce
                 */
                reason?: "bounce" | "complaint" | "stop" | "manual";
                /**
                 * @description Only items of this recipient: phone number, email address or user id
                 * @example +14155550100
                 */
                recipient?: string;
                /**
                 * @description In place of recipient: see POST /recipients/lookup
                 * @example rcp_q1yZk0vX2mB7cR9s4tUvWx
                 */
                recipient_token?: string;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List suppressed recipients, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "suppression_id": "sup_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "channel": "sms",
                     *           "recipient_masked": "+1415***0100",
                     *           "recipient_tag": "k7qd",
                     *           "reason": "bounce",
                     *           "source_notification_id": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Suppression"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    addSuppression: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "recipient": "+14155550100"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    channel: "email" | "sms";
                    /** @description Email address or E.164 number */
                    recipient: string;
                    /**
                     * @default manual
                     * @constant
                     */
                    reason?: "manual";
                };
            };
        };
        responses: {
            /** @description Suppress a recipient. Suppressing it again returns the existing suppression. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suppression_id": "sup_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "channel": "sms",
                     *       "recipient_masked": "+1415***0100",
                     *       "recipient_tag": "k7qd",
                     *       "reason": "bounce",
                     *       "source_notification_id": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Suppression"];
                };
            };
        };
    };
    liftSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the suppression
                 * @example sup_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                suppression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lift a suppression */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List stored templates of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "template_id": "tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "name": "Order shipped",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "version": 1,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "channels": [
                     *             "sms"
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order shipped",
                 *       "templates": {
                 *         "sms": {
                 *           "body": "Hello {{name}}, your order {{order}} was shipped."
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description Create a stored template */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "template_id": "tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order shipped",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a stored template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "template_id": "tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order shipped",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    replaceTemplate: {
        parameters: {
            query?: {
                /**
                 * @description Version that the request is based on. If the template has another one: edit_conflict.
                 * @example 1
                 */
                expected_version?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order shipped",
                 *       "templates": {
                 *         "sms": {
                 *           "body": "Hello {{name}}, your order {{order}} was shipped."
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description Replace a stored template. Notifications accepted before keep their content. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "template_id": "tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "name": "Order shipped",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z",
                     *       "templates": {
                     *         "sms": {
                     *           "body": "Hello {{name}}, your order {{order}} was shipped."
                     *         }
                     *       },
                     *       "translations": {
                     *         "de": {
                     *           "sms": {
                     *             "body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a stored template. Notifications accepted before keep their content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "template_data": {
                 *         "name": "Ada",
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TemplatePreview"];
            };
        };
        responses: {
            /** @description Preview a stored template without sending */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "template_id": "tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "version": 1,
                     *       "rendered": {
                     *         "sms": {
                     *           "body": "Hello Ada, your order A-1042 was shipped."
                     *         }
                     *       },
                     *       "locales": {
                     *         "sms": null
                     *       },
                     *       "sms_segments": {
                     *         "encoding": "GSM-7",
                     *         "segments": 1,
                     *         "outside": []
                     *       },
                     *       "whatsapp_message": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Identifier of the form tmpl_<26 characters>
                         * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        template_id: string;
                        /** @description Null: the templates of the request */
                        version: number | null;
                        rendered: {
                            email?: {
                                subject: string;
                                /** @description Made from `html_body` where it is absent */
                                body?: string;
                                html_body?: string;
                                /** @description What lists of messages show after the subject; requires `html_body` */
                                preheader?: string;
                                /**
                                 * @description The layout around its texts
                                 * @example lay_01jd3x8qk5w9t2m4v6b8n0p2r4
                                 */
                                layout_id?: string;
                            };
                            sms?: {
                                body: string;
                            };
                            whatsapp?: {
                                template_name: string;
                                language: string;
                                /** @enum {string} */
                                category: "marketing" | "utility" | "authentication";
                                /** @description Texts of the placeholders of the body: an array in order, or an object by name */
                                parameters: string[] | {
                                    [key: string]: string;
                                };
                                /** @description Required if the header of the template has a placeholder or is a file */
                                header?: {
                                    /** @enum {string} */
                                    type: "text" | "image" | "video" | "document";
                                    /** @description Text of the placeholder; of a file its https address */
                                    value: string;
                                    /** @description Of a named placeholder */
                                    name?: string;
                                };
                                /** @description Buttons of the template that have a placeholder */
                                buttons?: {
                                    /** @description Position among the buttons of the template */
                                    index: number;
                                    /** @enum {string} */
                                    type: "url" | "copy_code";
                                    /** @description End of the address, or the code to copy */
                                    value: string;
                                }[];
                            };
                            in_app?: {
                                title: string;
                                body: string;
                                data?: {
                                    [key: string]: components["schemas"]["JsonValue"];
                                };
                            };
                            webhook?: {
                                data: {
                                    [key: string]: components["schemas"]["JsonValue"];
                                };
                            };
                        };
                        /** @description Language of the text of each channel; null: the text that is no translation */
                        locales: {
                            [key: string]: string | null;
                        };
                        /** @description Null without an SMS */
                        sms_segments: components["schemas"]["SmsSegments"] | null;
                        /** @description The message as a phone shows it; null if no account of the tenant has the template */
                        whatsapp_message: components["schemas"]["WhatsAppTemplateContent"] | null;
                    };
                };
            };
        };
    };
    listTemplateTranslations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the translations of a stored template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                     *       "texts": {
                     *         "sms.body": "Hello {{name}}, your order {{order}} was shipped."
                     *       },
                     *       "translations": [
                     *         {
                     *           "locale": "de",
                     *           "channels": [
                     *             "sms"
                     *           ],
                     *           "missing_channels": [],
                     *           "outdated_channels": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TranslationCoverage"];
                };
            };
        };
    };
    getTemplateTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
                /**
                 * @description Id of the locale
                 * @example de
                 */
                locale: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a translation of a stored template as a file for translators */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                     *       "texts": {
                     *         "sms.body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TranslationFile"];
                };
            };
        };
    };
    putTemplateTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the template
                 * @example tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                template_id: string;
                /**
                 * @description Id of the locale
                 * @example de
                 */
                locale: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                 *       "texts": {
                 *         "sms.body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewTranslationFile"];
            };
        };
        responses: {
            /** @description Save a translation of a stored template; sends use it at once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "based_on": "sms:q1yZk0vX2mB7cR9s",
                     *       "texts": {
                     *         "sms.body": "Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TranslationFile"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /**
                 * @description First day, UTC. Default: the first of the month of `to`.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day, UTC. Default: today.
                 * @example 2026-11-30
                 */
                to?: string;
                /**
                 * @description Length of a period
                 * @example day
                 */
                interval?: "day" | "month";
                /**
                 * @description Usage of this application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Usage of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List messages and credits by period, application, channel and category */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-01",
                     *       "to": "2026-11-30",
                     *       "totals": {
                     *         "messages": 1,
                     *         "credits": 1
                     *       },
                     *       "items": [
                     *         {
                     *           "period": "2026-11-01",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "channel": "sms",
                     *           "category": null,
                     *           "messages": 1,
                     *           "credits": 1
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    listUsageLocales: {
        parameters: {
            query?: {
                /**
                 * @description First day, UTC. Default: the first of the month of `to`.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day, UTC. Default: today.
                 * @example 2026-11-30
                 */
                to?: string;
                /**
                 * @description Length of a period
                 * @example day
                 */
                interval?: "day" | "month";
                /**
                 * @description Usage of this application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Usage of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List messages and credits by period, application, channel and language, of messages whose language is known */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-01",
                     *       "to": "2026-11-30",
                     *       "items": [
                     *         {
                     *           "period": "2026-11-01",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "channel": "sms",
                     *           "locale": "de",
                     *           "messages": 1,
                     *           "credits": 1
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["UsageLocales"];
                };
            };
        };
    };
    listUsageMessages: {
        parameters: {
            query?: {
                /**
                 * @description First day, UTC. Default: the first of the month of `to`.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day, UTC. Default: today.
                 * @example 2026-11-30
                 */
                to?: string;
                /**
                 * @description Length of a period
                 * @example day
                 */
                interval?: "day" | "month";
                /**
                 * @description Usage of this application
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Usage of this channel
                 * @example sms
                 */
                channel?: "email" | "sms" | "whatsapp" | "in_app" | "webhook";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List all messages of live keys by period, application and channel, charged and not, with their cost */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-01",
                     *       "to": "2026-11-30",
                     *       "currency": "EUR",
                     *       "totals": [
                     *         {
                     *           "channel": "sms",
                     *           "messages": 1,
                     *           "taken": 118,
                     *           "delivered": 115,
                     *           "failed": 2,
                     *           "charged": 93,
                     *           "segments": 118,
                     *           "cost": "5.31"
                     *         }
                     *       ],
                     *       "items": [
                     *         {
                     *           "period": "2026-11-01",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "channel": "sms",
                     *           "messages": 1,
                     *           "taken": 118,
                     *           "delivered": 115,
                     *           "failed": 2,
                     *           "charged": 93,
                     *           "segments": 118,
                     *           "cost": "5.31"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Format: date */
                        from: string;
                        /** Format: date */
                        to: string;
                        currency: string | null;
                        /** @description Of all periods and applications, by channel */
                        totals: components["schemas"]["UsageOfChannel"][];
                        items: components["schemas"]["UsageMessages"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getPrices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the price list of the tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "q1yZk0vX2mB7cR9s",
                     *       "currency": "EUR",
                     *       "prices": [
                     *         {
                     *           "channel": "sms",
                     *           "category": null,
                     *           "country_prefix": null,
                     *           "price": "0.045"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PriceList"];
                };
            };
        };
    };
    putPrices: {
        parameters: {
            query?: {
                /**
                 * @description Version that the request is based on. If the list has another one: edit_conflict.
                 * @example q1yZk0vX2mB7cR9s
                 */
                expected_version?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currency": "EUR",
                 *       "prices": [
                 *         {
                 *           "channel": "sms",
                 *           "category": null,
                 *           "country_prefix": null,
                 *           "price": "0.045"
                 *         },
                 *         {
                 *           "channel": "sms",
                 *           "category": null,
                 *           "country_prefix": "+49",
                 *           "price": "0.08"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewPriceList"];
            };
        };
        responses: {
            /** @description Replace the price list of the tenant. Costs of all periods are shown with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "q1yZk0vX2mB7cR9s",
                     *       "currency": "EUR",
                     *       "prices": [
                     *         {
                     *           "channel": "sms",
                     *           "category": null,
                     *           "country_prefix": null,
                     *           "price": "0.045"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PriceList"];
                };
            };
        };
    };
    getRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the user
                 * @example user-42
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a user with the addresses that notifications may name by `user_id` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "user-42",
                     *       "email": "ada@shop.example",
                     *       "phone": "+14155550100",
                     *       "locale": "de",
                     *       "timezone": "Europe/Berlin",
                     *       "quiet_hours": {
                     *         "start": "22:00",
                     *         "end": "08:00"
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Recipient"];
                };
            };
        };
    };
    putRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the user
                 * @example user-42
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@shop.example",
                 *       "phone": "+14155550100",
                 *       "locale": "de",
                 *       "timezone": "Europe/Berlin",
                 *       "quiet_hours": {
                 *         "start": "22:00",
                 *         "end": "08:00"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewRecipient"];
            };
        };
        responses: {
            /** @description Create a user or replace it as a whole. Notifications accepted before keep their address, except for items of a digest. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "user-42",
                     *       "email": "ada@shop.example",
                     *       "phone": "+14155550100",
                     *       "locale": "de",
                     *       "timezone": "Europe/Berlin",
                     *       "quiet_hours": {
                     *         "start": "22:00",
                     *         "end": "08:00"
                     *       },
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Recipient"];
                };
            };
        };
    };
    deleteRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the user
                 * @example user-42
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a user. Notifications accepted before keep their address, except for items of a digest. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getUserPreferences: {
        parameters: {
            query?: {
                /**
                 * @description Language of names and descriptions, BCP 47
                 * @example de
                 */
                locale?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the user
                 * @example user-42
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the preferences of a user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topics": [
                     *         {
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             {
                     *               "channel": "sms",
                     *               "state": "off",
                     *               "overridden": true,
                     *               "digests": false,
                     *               "frequency": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "topic": "*",
                     *           "channel": "sms",
                     *           "state": "off",
                     *           "frequency": null,
                     *           "source": "api",
                     *           "changed_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    changeUserPreferences: {
        parameters: {
            query?: {
                /**
                 * @description Language of names and descriptions, BCP 47
                 * @example de
                 */
                locale?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the user
                 * @example user-42
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "topic": "*",
                 *           "channel": "sms",
                 *           "state": "off"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PreferenceChanges"];
            };
        };
        responses: {
            /** @description Change the preferences of a user. Messages that are not sent yet follow them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topics": [
                     *         {
                     *           "topic_key": "newsletter",
                     *           "name": "Newsletter",
                     *           "description": "New products, once a week",
                     *           "kind": "on",
                     *           "channels": [
                     *             {
                     *               "channel": "sms",
                     *               "state": "off",
                     *               "overridden": true,
                     *               "digests": false,
                     *               "frequency": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "topic": "*",
                     *           "channel": "sms",
                     *           "state": "off",
                     *           "frequency": null,
                     *           "source": "api",
                     *           "changed_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the delivery
                 * @example whdel_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a webhook delivery with its newest attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whdel_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_type": "notification.delivered",
                     *       "status": "succeeded",
                     *       "attempts_made": 1,
                     *       "last_status": 200,
                     *       "last_error": null,
                     *       "next_attempt_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null,
                     *       "request": null,
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "started_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": null,
                     *           "duration_ms": 84,
                     *           "status": 200,
                     *           "error": null,
                     *           "response_excerpt": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the delivery
                 * @example whdel_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replay a finished delivery under the same id, also one that has arrived. The state of its notification stays. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whdel_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "event_type": "notification.delivered",
                     *       "status": "succeeded",
                     *       "attempts_made": 1,
                     *       "last_status": 200,
                     *       "last_error": null,
                     *       "next_attempt_at": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliverySummary"];
                };
            };
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /**
                 * @description Identifier of the form app_<26 characters>
                 * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                application_id?: string;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhook subscriptions, newest first: for API keys those of the application, for operators those of the tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "url": "https://shop.example/hooks/notifications",
                     *           "events": [
                     *             "notification.delivered"
                     *           ],
                     *           "description": "Order service",
                     *           "status": "active",
                     *           "disabled_reason": null,
                     *           "failing_since": null,
                     *           "replay": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscriptionList"];
                };
            };
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                 *       "url": "https://shop.example/hooks/notifications",
                 *       "events": [
                 *         "notification.delivered",
                 *         "notification.failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhookSubscription"];
            };
        };
        responses: {
            /** @description Create a webhook subscription. Without provider_id the response contains a new signing secret, shown once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "url": "https://shop.example/hooks/notifications",
                     *       "events": [
                     *         "notification.delivered"
                     *       ],
                     *       "description": "Order service",
                     *       "status": "active",
                     *       "disabled_reason": null,
                     *       "failing_since": null,
                     *       "replay": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Identifier of the form whsub_<26 characters>
                         * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        subscription_id: string;
                        /**
                         * @description Identifier of the form app_<26 characters>
                         * @example app_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        application_id: string;
                        /**
                         * @description Identifier of the form prov_<26 characters>
                         * @example prov_01jd3x8qk5w9t2m4v6b8n0p2r4
                         */
                        provider_id: string;
                        /** @description `https://unreadable.invalid/` if it cannot be decrypted any more */
                        url: string;
                        events: ("notification.delivered" | "notification.failed" | "preference.changed")[];
                        description: string;
                        /** @enum {string} */
                        status: "active" | "disabled";
                        disabled_reason: ("operator" | "gone" | "failing") | null;
                        /** @description The first failure since the last success, or since two days without one that counts */
                        failing_since: string | null;
                        /** @description The latest replay */
                        replay: components["schemas"]["WebhookReplay"] | null;
                        /**
                         * Format: date-time
                         * @example 2026-11-21T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @example 2026-11-21T09:30:00.000Z
                         */
                        updated_at: string;
                        /** @description whsec_ and base64; the HMAC key is the decoded bytes. Shown once. */
                        secret?: string;
                    };
                };
            };
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a webhook subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "url": "https://shop.example/hooks/notifications",
                     *       "events": [
                     *         "notification.delivered"
                     *       ],
                     *       "description": "Order service",
                     *       "status": "active",
                     *       "disabled_reason": null,
                     *       "failing_since": null,
                     *       "replay": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a webhook subscription with its deliveries */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeWebhookSubscription: {
        parameters: {
            query?: {
                /**
                 * @description updated_at of the resource that the request is based on. If it has changed since: edit_conflict.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                expected_updated_at?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         "notification.failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WebhookSubscriptionChange"];
            };
        };
        responses: {
            /** @description Change, disable or enable a webhook subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "application_id": "app_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "url": "https://shop.example/hooks/notifications",
                     *       "events": [
                     *         "notification.delivered"
                     *       ],
                     *       "description": "Order service",
                     *       "status": "active",
                     *       "disabled_reason": null,
                     *       "failing_since": null,
                     *       "replay": null,
                     *       "created_at": "2026-11-21T09:30:00.000Z",
                     *       "updated_at": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only items with this status
                 * @example pending
                 */
                status?: "pending" | "succeeded" | "exhausted";
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the deliveries of a subscription, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "delivery_id": "whdel_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "notification_id": "notif_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "event_type": "notification.delivered",
                     *           "status": "succeeded",
                     *           "attempts_made": 1,
                     *           "last_status": 200,
                     *           "last_error": null,
                     *           "next_attempt_at": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
        };
    };
    replayWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-11-21T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookReplayRequest"];
            };
        };
        responses: {
            /** @description Replay all deliveries exhausted since a given time, in the background at a limited rate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 12
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookReplayCount"];
                };
            };
            /** @description Replay all deliveries exhausted since a given time, in the background at a limited rate */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "since": "2026-11-21T09:30:00.000Z",
                     *       "count": 12,
                     *       "replayed": 8,
                     *       "requested_at": "2026-11-21T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rotate the signing secret. The previous one also signs for 24 hours; at most three sign at a time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "whsub_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                     *       "previous_valid_until": "2026-11-21T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    testWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the subscription
                 * @example whsub_01jd3x8qk5w9t2m4v6b8n0p2r4
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a test event to the subscription */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whdel_01jd3x8qk5w9t2m4v6b8n0p2r4"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    listOptIns: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the entries of the consent ledger, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "optin_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "phone_e164": "+14155550100",
                     *           "reference": null,
                     *           "recorded_at": "2026-11-21T09:30:00.000Z",
                     *           "action": "opt_in",
                     *           "source": "checkout",
                     *           "evidence_url": null,
                     *           "recipient_tag": "k7qd",
                     *           "status": "active"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ConsentEntry"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createOptIn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone_e164": "+14155550100",
                 *       "source": "checkout",
                 *       "reference": "order A-1042",
                 *       "evidence_url": "https://shop.example/opt-ins/4711"
                 *     }
                 */
                "application/json": components["schemas"]["NewOptIn"];
            };
        };
        responses: {
            /** @description Record an opt-in to WhatsApp messages */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "optin_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "phone_e164": "+14155550100",
                     *       "reference": null,
                     *       "recorded_at": "2026-11-21T09:30:00.000Z",
                     *       "source": "checkout",
                     *       "evidence_url": null,
                     *       "status": "active"
                     *     }
                     */
                    "application/json": components["schemas"]["OptIn"];
                };
            };
        };
    };
    getOptIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Phone number in E.164, for example +14155550100
                 * @example +14155550100
                 */
                phone_e164: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the consent of a phone number with its latest ledger entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "phone_e164": "+14155550100",
                     *       "status": "active",
                     *       "marketing": "allowed",
                     *       "changed_at": "2026-11-21T09:30:00.000Z",
                     *       "history": [
                     *         {
                     *           "id": "optin_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "phone_e164": "+14155550100",
                     *           "reference": null,
                     *           "recorded_at": "2026-11-21T09:30:00.000Z",
                     *           "action": "opt_in",
                     *           "source": "checkout",
                     *           "evidence_url": null,
                     *           "recipient_tag": "k7qd",
                     *           "status": "active"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Consent"];
                };
            };
        };
    };
    createOptOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone_e164": "+14155550100",
                 *       "reference": "call of 21 November"
                 *     }
                 */
                "application/json": components["schemas"]["NewOptOut"];
            };
        };
        responses: {
            /** @description Record an opt-out that was requested outside WhatsApp */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "optin_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *       "phone_e164": "+14155550100",
                     *       "reference": null,
                     *       "recorded_at": "2026-11-21T09:30:00.000Z",
                     *       "status": "revoked"
                     *     }
                     */
                    "application/json": components["schemas"]["OptOut"];
                };
            };
        };
    };
    listWhatsAppTemplates: {
        parameters: {
            query?: {
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous page
                 * @example AWFjdGl2aXR5fDIwMjYtMTEtMjE
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List WhatsApp templates with their approval state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "provider_id": "prov_01jd3x8qk5w9t2m4v6b8n0p2r4",
                     *           "name": "order_update",
                     *           "language": "en",
                     *           "status": "approved",
                     *           "category": "utility",
                     *           "quality": "green",
                     *           "content": {
                     *             "header": null,
                     *             "body": "Hi {{1}}, your order {{2}} is on its way.",
                     *             "footer": "Demo Shop",
                     *             "buttons": []
                     *           },
                     *           "placeholders": {
                     *             "header": null,
                     *             "body": [
                     *               "1",
                     *               "2"
                     *             ],
                     *             "buttons": []
                     *           },
                     *           "reported_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["WhatsAppTemplate"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    syncWhatsAppTemplates: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Unique key of one logical request. Repeating it within 24 hours returns the first response.
                 * @example order-A-1042-shipped
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Synchronize WhatsApp templates of all accounts with the carrier */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "sync_queued",
                     *       "providers": 1
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "sync_queued";
                        /** @description Number of accounts that are read */
                        providers: number;
                    };
                };
            };
        };
    };
    showPreferenceLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the token
                 * @example eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTQyIn0.c2lnbmF0dXJl
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show the page of a link in a message. Opening it changes nothing, because programs that scan email follow links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en"><title>Messages from Shop</title>…</html> */
                    "text/html": string;
                };
            };
        };
    };
    followPreferenceLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the token
                 * @example eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTQyIn0.c2lnbmF0dXJl
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "List-Unsubscribe": "One-Click"
                 *     }
                 */
                "application/x-www-form-urlencoded": Record<string, never>;
            };
        };
        responses: {
            /** @description Unsubscribe by one click (RFC 8058), or save the choices of the page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en"><title>Messages from Shop</title>…</html> */
                    "text/html": string;
                };
            };
        };
    };
}
