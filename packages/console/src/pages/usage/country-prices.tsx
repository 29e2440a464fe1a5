import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { type Option, SelectField, TextField } from '../../ui/field.tsx'

/** A price of messages to one country, as it is typed. */
export interface CountryPrice {
  place: string
  prefix: string
  price: string
}

interface CountryPricesProps {
  /** The channels and categories that may have prices by country. */
  places: readonly Option[]
  prices: readonly CountryPrice[]
  /** The position of the first one in the request. */
  first: number
  onChange: (prices: readonly CountryPrice[]) => void
}

/** Prices that replace those above for the numbers of a country. */
export function CountryPrices({ places, prices, first, onChange }: CountryPricesProps) {
  const setAt = (at: number, change: Partial<CountryPrice>) => onChange(prices.with(at, { ...prices[at]!, ...change }))
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="pb-1 font-medium">Prices by country</legend>
      {prices.map(({ place, prefix, price }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a price is identified by its position
        <div key={at} className="grid grid-cols-[1fr_1fr_auto] items-start gap-2 sm:grid-cols-[2fr_1fr_1fr_auto]">
          <div className="max-sm:col-span-3">
            <SelectField
              label={`Messages of price ${at + 1}`}
              name={`prices.${first + at}.channel`}
              options={places}
              value={place}
              onChange={({ target }) => setAt(at, { place: target.value })}
            />
          </div>
          <TextField
            label={`Country code ${at + 1}`}
            name={`prices.${first + at}.country_prefix`}
            placeholder="+49"
            inputMode="tel"
            value={prefix}
            onChange={({ target }) => setAt(at, { prefix: target.value })}
          />
          <TextField
            label={`Price ${at + 1}`}
            name={`prices.${first + at}.price`}
            inputMode="decimal"
            value={price}
            onChange={({ target }) => setAt(at, { price: target.value })}
          />
          <IconButton
            label={`Remove price ${at + 1}`}
            className="mt-6"
            onClick={() => onChange(prices.toSpliced(at, 1))}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button
        className="self-start"
        onClick={() => onChange([...prices, { place: places[0]!.value, prefix: '', price: '' }])}
      >
        <Plus size={14} aria-hidden />
        Add a country
      </Button>
    </fieldset>
  )
}
