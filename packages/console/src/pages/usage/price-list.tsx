import type { components } from '@notify/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelNames, channelPages, channels } from '../../channels/table.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type CountryPrice, CountryPrices } from './country-prices.tsx'

type PriceList = components['schemas']['PriceList']
type Category = NonNullable<PriceList['prices'][number]['category']>

/** The prices that a list may have, each with the label of its field. */
const places: readonly { channel: Channel; category: Category | null; label: string }[] = channels.flatMap(
  (channel) => [
    { channel, category: null, label: channelNames[channel] },
    ...(channelPages[channel].categories ?? []).map((category) => ({
      ...{ channel, category },
      label: `${channelNames[channel]}, ${category}`,
    })),
  ],
)

/** The fields without a country are fixed; those of a country are added. */
const withoutCountry = places.map((place) => ({ ...place, country_prefix: null }))

const nameOf = ({ channel, category }: { channel: string; category?: string | null }) => `${channel} ${category ?? ''}`

interface Values {
  currency: string
  /** The texts of the fields by channel and category. */
  prices: Record<string, string>
  countries: readonly CountryPrice[]
}

/** What the tenant pays its carriers for a message, by which the usage is shown in money. */
export function PriceListDialog({ onClose }: { onClose: () => void }) {
  const { data } = useQuery({
    queryKey: ['usage', 'prices'],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/usage/prices', { signal })),
    // Not cached: saving replaces the whole list, so the form starts with the stored one.
    gcTime: 0,
  })
  const draft = useDraft<Values | null>('price-list', null)
  const close = () => {
    draft.clear()
    onClose()
  }
  return (
    <Dialog title="Price list" onClose={close} decision>
      {data ? (
        <PriceForm value={draft.value ?? valuesOf(data)} set={draft.set} onClose={close} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Dialog>
  )
}

const valuesOf = ({ currency, prices }: PriceList): Values => ({
  currency: currency ?? '',
  prices: Object.fromEntries(
    prices.filter(({ country_prefix }) => country_prefix === null).map((one) => [nameOf(one), one.price]),
  ),
  countries: prices
    .filter(({ country_prefix }) => country_prefix !== null)
    .map((one) => ({ place: nameOf(one), prefix: one.country_prefix!, price: one.price })),
})

interface PriceFormProps {
  value: Values
  set: (value: Values) => void
  onClose: () => void
}

function PriceForm({ value, set, onClose }: PriceFormProps) {
  const client = useQueryClient()
  const priced = withoutCountry.filter((place) => (value.prices[nameOf(place)] ?? '').trim() !== '')
  const save = async () => {
    const prices = [
      ...priced.map(({ label: _, ...place }) => ({ ...place, price: value.prices[nameOf(place)]!.trim() })),
      ...value.countries.map(({ place: name, prefix, price }) => {
        const { label: _, ...place } = places.find((one) => nameOf(one) === name)!
        return { ...place, country_prefix: prefix.trim(), price: price.trim() }
      }),
    ]
    await answer(api.PUT('/api/v1/usage/prices', { body: { currency: value.currency.trim().toUpperCase(), prices } }))
    showToast({ tone: 'good', text: 'The price list is saved.' })
    onClose()
    await client.invalidateQueries({ queryKey: ['usage'] })
  }
  return (
    <Form action="Save the prices" onSubmit={save} onCancel={onClose}>
      <p className="text-soft">
        What a message costs that a carrier has taken; an SMS costs this for each segment. Costs of all periods are
        shown with this list. Leave empty what has no price.
      </p>
      <TextField
        label="Currency"
        name="currency"
        hint="ISO 4217, for example EUR."
        value={value.currency}
        onChange={({ target }) => set({ ...value, currency: target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {withoutCountry.map((place) => (
          <TextField
            key={nameOf(place)}
            label={place.label}
            name={`prices.${priced.indexOf(place)}`}
            inputMode="decimal"
            value={value.prices[nameOf(place)] ?? ''}
            onChange={({ target }) => set({ ...value, prices: { ...value.prices, [nameOf(place)]: target.value } })}
          />
        ))}
      </div>
      <CountryPrices
        places={places
          .filter(({ channel }) => channelPages[channel].addressedBy === 'phone')
          .map((one) => ({ value: nameOf(one), label: one.label }))}
        prices={value.countries}
        first={priced.length}
        onChange={(countries) => set({ ...value, countries })}
      />
    </Form>
  )
}
