import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { CartView } from '../../../shared/carts/carts.ts'
import { SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { useNewestCarts } from '../carts/queries.ts'
import { SAMPLE_LABEL } from '../manual-sends/sending.ts'

const SEARCH_PAUSE_MS = 400

interface Props {
  value: string | null
  onChange: (cartId: string) => void
}

/** Chooses one of the store's carts, or the sample cart. */
export function CartPicker({ value, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [known, setKnown] = useState<CartView | null>(null)
  const [search] = useDebouncedValue(typed, SEARCH_PAUSE_MS)
  const isLabel = search === SAMPLE_LABEL || (known !== null && search === labelOf(known))
  const carts = useNewestCarts(isLabel ? '' : search)
  const found = carts.data?.carts ?? []
  const shown = found.find(({ id }) => id === value) ?? (known?.id === value ? known : null)
  // Kept for when a search finds other carts.
  if (shown && shown.id !== known?.id) setKnown(shown)
  const offered = shown && !found.includes(shown) ? [shown, ...found] : found
  return (
    <Select
      label="For the cart of"
      placeholder="Search a customer"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No cart found"
      data={[
        ...offered.map((cart) => ({ value: cart.id, label: labelOf(cart) })),
        { value: SAMPLE_CART, label: SAMPLE_LABEL },
      ]}
      filter={({ options }) => options}
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => id && onChange(id)}
    />
  )
}

const labelOf = (cart: CartView) =>
  `${cart.customer_name} · ${formatMoney(cart.total, cart.currency)} · ${cart.customer_email ?? 'no email'}`
