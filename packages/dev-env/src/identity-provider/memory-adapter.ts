interface Payload {
  uid?: string
  userCode?: string
  grantId?: string
  consumed?: number
}

const records = new Map<string, { payload: Payload; expiresAtMs: number }>()

/** Keeps what oidc-provider stores in memory. Its own such adapter prints a warning at each start. */
export class MemoryAdapter {
  private readonly model: string

  constructor(model: string) {
    this.model = model
  }

  async upsert(id: string, payload: Payload, expiresInS?: number): Promise<void> {
    const expiresAtMs = expiresInS ? Date.now() + expiresInS * 1000 : Number.POSITIVE_INFINITY
    records.set(`${this.model}:${id}`, { payload, expiresAtMs })
  }

  async find(id: string): Promise<Payload | undefined> {
    return this.first((payload, key) => key === `${this.model}:${id}` && payload)
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    return this.first((payload) => payload.uid === uid && payload)
  }

  async findByUserCode(userCode: string): Promise<Payload | undefined> {
    return this.first((payload) => payload.userCode === userCode && payload)
  }

  async consume(id: string): Promise<void> {
    const record = records.get(`${this.model}:${id}`)
    if (record) record.payload.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string): Promise<void> {
    records.delete(`${this.model}:${id}`)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, { payload }] of records) if (payload.grantId === grantId) records.delete(key)
  }

  private first(matches: (payload: Payload, key: string) => Payload | false): Payload | undefined {
    for (const [key, { payload, expiresAtMs }] of records) {
      if (!key.startsWith(`${this.model}:`)) continue
      if (expiresAtMs <= Date.now()) records.delete(key)
      else if (matches(payload, key)) return payload
    }
    return undefined
  }
}
