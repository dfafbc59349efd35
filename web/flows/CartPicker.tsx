import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { CartView } from '../../shared/carts.ts'
import { useCarts } from '../carts/queries.ts'
import { formatMoney } from '../ui/format.ts'

const SEARCH_PAUSE_MS = 400
const OFFERED = 20

interface Props {
  value: string | null
  onChange: (cartId: string | null) => void
}

/** Chooses one of the store's carts; the newest at first. */
export function CartPicker({ value, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<CartView | null>(null)
  const [search] = useDebouncedValue(typed, SEARCH_PAUSE_MS)
  const isLabel = chosen !== null && search === labelOf(chosen)
  const carts = useCarts({
    page: 1,
    limit: OFFERED,
    sort: 'timestamp',
    order: 'desc',
    ...(search && !isLabel && { search }),
  })
  const found = carts.data?.carts ?? []
  const offered = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  const first = found[0]
  useEffect(() => {
    if (value !== null || !first || typed) return
    setChosen(first)
    onChange(first.id)
  }, [value, first, typed, onChange])
  return (
    <Select
      label="For the cart of"
      placeholder="Search a customer"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No cart found"
      data={offered.map((cart) => ({ value: cart.id, label: labelOf(cart) }))}
      filter={({ options }) => options}
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => {
        setChosen(offered.find((cart) => cart.id === id) ?? null)
        onChange(id)
      }}
    />
  )
}

const labelOf = (cart: CartView) =>
  `${cart.customer_name} · ${formatMoney(cart.total, cart.currency)} · ${cart.customer_email ?? 'no email'}`
