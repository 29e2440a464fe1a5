import type { components } from '@notify/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelNames, channelPages, channels } from '../../channels/table.ts'
import type { Named } from '../../edits/compare-texts.ts'
import { EditForm } from '../../edits/edit-form.tsx'
import { type Stored, useEdits } from '../../edits/use-edits.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
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

const listKey = ['usage', 'prices']
const draftName = 'price-list'

/** What the tenant pays its carriers for a message, by which the usage is shown in money. */
export function PriceListDialog({ onClose }: { onClose: () => void }) {
  const { data } = useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => answer(api.GET('/api/v1/usage/prices', { signal })),
    // Not cached: the form starts with the stored list.
    gcTime: 0,
  })
  const draft = useDraft<unknown>(draftName, null)
  const close = () => {
    draft.clear()
    onClose()
  }
  return (
    <Dialog title="Price list" onClose={close} decision>
      {data ? <PriceForm list={data} onClose={close} /> : <Skeleton lines={8} />}
    </Dialog>
  )
}

const storedOf = ({ version, currency, prices }: PriceList): Stored<Values> => ({
  form: {
    currency: currency ?? '',
    prices: Object.fromEntries(
      prices.filter(({ country_prefix }) => country_prefix === null).map((one) => [nameOf(one), one.price]),
    ),
    countries: prices
      .filter(({ country_prefix }) => country_prefix !== null)
      .map((one) => ({ place: nameOf(one), prefix: one.country_prefix!, price: one.price })),
  },
  revision: version,
})

const pricedOf = ({ prices }: Values) => withoutCountry.filter((place) => (prices[nameOf(place)] ?? '').trim() !== '')

const requestOf = (values: Values) => ({
  currency: values.currency.trim().toUpperCase(),
  prices: [
    ...pricedOf(values).map(({ label: _, ...place }) => ({ ...place, price: values.prices[nameOf(place)]!.trim() })),
    ...values.countries.map(({ place: name, prefix, price }) => {
      const { label: _, ...place } = places.find((one) => nameOf(one) === name)!
      return { ...place, country_prefix: prefix.trim(), price: price.trim() }
    }),
  ],
})

const textsOf = (values: Values): Named[] => [
  ['Currency', values.currency],
  ...places.map((place): Named => [place.label, values.prices[nameOf(place)] ?? '']),
  ...places.map((place): Named => {
    const ofPlace = values.countries.filter((one) => one.place === nameOf(place))
    return [`${place.label}, by country`, ofPlace.map(({ prefix, price }) => `${prefix} ${price}`).join('\n')]
  }),
]

/** Edits of the list. Saving replaces it as a whole, so it names the version that the edits began from. */
function PriceForm({ list, onClose }: { list: PriceList; onClose: () => void }) {
  const client = useQueryClient()
  const show = (read: PriceList): PriceList => {
    client.setQueryData(listKey, read)
    return read
  }
  const edits = useEdits<Values>({
    name: draftName,
    stored: useMemo(() => storedOf(list), [list]),
    errorsOf: () => [],
    write: async (form, expected_version) => {
      const request = { params: { query: { expected_version } }, body: requestOf(form) }
      return storedOf(show(await answer(api.PUT('/api/v1/usage/prices', request))))
    },
    reread: async () => storedOf(show(await answer(api.GET('/api/v1/usage/prices')))),
  })
  const { form: value, set } = edits
  const priced = pricedOf(value)
  const onSaved = () => {
    showToast({ tone: 'good', text: 'The price list is saved.' })
    onClose()
    void client.invalidateQueries({ queryKey: ['usage'] })
  }
  return (
    <EditForm action="Save the prices" edits={edits} textsOf={textsOf} onSaved={onSaved} onCancel={onClose}>
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
    </EditForm>
  )
}
