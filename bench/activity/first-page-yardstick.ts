import express from 'express'
import pg from 'pg'

/** The yardstick: an Express handler that reads the newest items of a tenant by their index, and nothing else. */
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 8 })
const app = express()
app.get('/', async (_request, response) => {
  const { rows } = await pool.query({
    name: 'newest',
    text: `select id, channel, status, recipient_masked, failure_reason, created_at from activity where tenant_id = $1
           order by created_at desc, id desc limit 21`,
    values: [process.env.BENCH_TENANT],
  })
  response.json({ items: rows })
})
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
  void pool.end()
})
