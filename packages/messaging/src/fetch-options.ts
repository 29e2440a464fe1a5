/**
 * A fetch of a durable. Few messages, because one may carry hundreds of events that other processes could handle sooner. The server
 * shows every 5 s that it knows of the fetch: each sign wakes two processes, and two missing ones end a fetch that it has lost.
 */
export const fetchOptions = { max_messages: 16, expires: 30_000, idle_heartbeat: 5000 }
