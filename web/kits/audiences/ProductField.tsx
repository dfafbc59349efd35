import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { audienceTexts, type ProductChoice } from '../../../shared/marketing/audience.ts'
import { useProducts } from './queries.ts'

interface Props {
  /** Product id in the store; null means any. */
  value: string | null
  isReadOnly: boolean
  onChange: (productId: string | null) => void
}

const PAUSE_MS = 300

/** Picks a product of the store by name or SKU. A product missing from the catalogue is shown by its id. */
export function ProductField({ value, isReadOnly, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [known, setKnown] = useState(new Map<string, string>())
  const [isOpen, setOpen] = useState(false)
  const named = useProducts(value ?? '', value !== null && !known.has(value)).data?.find(({ id }) => id === value)
  const label = value === null ? '' : (known.get(value) ?? (named ? formatLabel(named) : `Product ${value}`))
  // The selected product's label is not a search text.
  const [search] = useDebouncedValue(typed === label ? '' : typed.trim().slice(0, 200), PAUSE_MS)
  const found = useProducts(search, isOpen)
  const options = new Map((isOpen ? (found.data ?? []) : []).map((product) => [product.id, formatLabel(product)]))
  if (value !== null && !options.has(value)) options.set(value, label)
  return (
    <Select
      label="With the product"
      placeholder="Any"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Any product' }}
      readOnly={isReadOnly}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      filter={({ options: all }) => all}
      nothingFoundMessage={formatMessage(found)}
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={(id) => {
        if (id) setKnown(new Map(known).set(id, options.get(id) ?? ''))
        onChange(id)
      }}
    />
  )
}

const formatLabel = ({ name, sku }: ProductChoice) => (sku ? `${name} (${sku})` : name)

function formatMessage({ error, isFetching }: ReturnType<typeof useProducts>): string {
  if (error) return 'The products could not be loaded.'
  return isFetching ? 'Loading products…' : audienceTexts.noProducts
}
