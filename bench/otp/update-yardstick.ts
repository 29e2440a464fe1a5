import express from 'express'
import pg from 'pg'

/** The yardstick: an Express handler that verifies a code with one UPDATE of one row, and nothing else. */
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 8 })
const app = express()
app.use(express.json())
app.post('/', async (request, response) => {
  const { transaction_id, code } = request.body as { transaction_id: string; code: string }
  const { rows } = await pool.query({
    name: 'verify',
    text: `update bench_codes set verified_at = now() where id = $1 and code = $2 and verified_at is null and attempts < 5
           and expires_at > now() returning verified_at`,
    values: [transaction_id, code],
  })
  response.status(rows.length > 0 ? 200 : 422).json(rows[0] ?? {})
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
