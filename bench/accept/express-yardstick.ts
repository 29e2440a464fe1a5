import express from 'express'

/** The least that an HTTP API in Express can do: no parsing, no work, one constant answer. */
const app = express()
if (process.env.PARSE) app.use(express.json())
app.post('/', (_request, response) => {
  response.status(202).json({ status: 'accepted' })
})
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('listening'))
process.on('disconnect', () => server.close())
