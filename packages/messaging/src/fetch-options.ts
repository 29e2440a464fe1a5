/**
 * A fetch of a durable. Few messages, because one may contain hundreds of events that other processes could handle sooner. A
 * heartbeat every 5 s shows that the server knows the fetch; two missing ones end it. Shorter intervals wake idle processes
 * more often.
 */
export const fetchOptions = { max_messages: 16, expires: 30_000, idle_heartbeat: 5000 }
