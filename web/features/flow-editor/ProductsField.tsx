import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useProducts } from '../../kits/audiences/queries.ts'
import { useProductNames } from '../../kits/flows/condition-queries.ts'

interface Props {
  'aria-label': string
  size: 'sm'
  disabled: boolean
  error: boolean
  /** Product id in the store. */
  ids: string[]
  onChange: (ids: string[]) => void
}

const PAUSE_MS = 300
const MOST = 20

/** Picks products of the store by name or SKU. */
export function ProductsField({ ids, onChange, ...input }: Props) {
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [search] = useDebouncedValue(typed.trim().slice(0, 200), PAUSE_MS)
  const found = useProducts(search, isOpen)
  const [productNames, setProductNames] = useState(new Map<string, string>())
  const nameOf = useProductNames(ids.filter((id) => !productNames.has(id)))
  const offered = new Map((found.data ?? []).map(({ id, name, sku }) => [id, sku ? `${name} (${sku})` : name]))
  for (const id of ids) if (!offered.has(id)) offered.set(id, productNames.get(id) ?? nameOf(id))
  return (
    <MultiSelect
      {...input}
      className="condition-many"
      searchable
      hidePickedOptions
      maxValues={MOST}
      placeholder={ids.length === 0 ? 'Search products' : ''}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      filter={({ options }) => options}
      nothingFoundMessage={
        found.error ? 'The products could not be loaded.' : found.isFetching ? 'Loading products…' : 'No product found.'
      }
      data={[...offered].map(([value, label]) => ({ value, label }))}
      value={ids}
      onChange={(chosen) => {
        setProductNames(new Map([...productNames, ...chosen.map((id) => [id, offered.get(id) ?? id] as const)]))
        onChange(chosen)
      }}
    />
  )
}
