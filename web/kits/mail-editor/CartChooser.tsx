import { Select } from '@mantine/core'
import type { CartView } from '../../../shared/carts/carts.ts'
import type { MailValues } from '../../../shared/messages/mail-values.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { useNewestCarts } from '../carts/queries.ts'
import { buildCartValues, buildSampleValues, type SampleCart, type SampleStore, sampleCarts } from './sample-carts.ts'

/** Name of a sample, or a cart of the store. */
export type CartChoice = SampleCart | CartView

export const buildValues = (cart: CartChoice, store: SampleStore, tag: string): MailValues =>
  typeof cart === 'string' ? buildSampleValues(cart, store, tag) : buildCartValues(cart, store, tag)

/** The cart that the mail is shown with. */
export function CartChooser({ value, onChange }: { value: CartChoice; onChange: (cart: CartChoice) => void }) {
  const carts = useNewestCarts().data?.carts ?? []
  const samples = Object.entries(sampleCarts).map(([name, label]) => ({ value: name, label }))
  return (
    <Select
      label="Preview with"
      searchable
      allowDeselect={false}
      comboboxProps={{ zIndex: 400 }}
      nothingFoundMessage="No cart found"
      data={[
        { group: 'Examples', items: samples },
        ...(carts.length > 0
          ? [{ group: 'Your carts', items: carts.map((cart) => ({ value: cart.id, label: nameCart(cart) })) }]
          : []),
      ]}
      value={typeof value === 'string' ? value : value.id}
      onChange={(id) => {
        const cart = carts.find((each) => each.id === id)
        if (cart) onChange(cart)
        else if (id !== null && Object.hasOwn(sampleCarts, id)) onChange(id as SampleCart)
      }}
    />
  )
}

export const nameCart = ({ customer_name: name, total, currency }: CartView): string =>
  `${name} · ${formatMoney(total, currency)}`
