import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ComponentProps, useState } from 'react'
import type { ProductsField } from './ProductsField.tsx'
import { useCategories, useCategoryNames } from './queries.ts'

const PAUSE_MS = 300
const MOST = 20

/** Picks product categories of the store by name. */
export function CategoriesField({ ids, onChange, ...input }: ComponentProps<typeof ProductsField>) {
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [search] = useDebouncedValue(typed.trim().slice(0, 200), PAUSE_MS)
  const found = useCategories(search, isOpen)
  const nameOf = useCategoryNames(ids)
  const offered = new Map((found.data?.categories ?? []).map(({ id, name }) => [id, name]))
  for (const id of ids) if (!offered.has(id)) offered.set(id, nameOf(id))
  return (
    <MultiSelect
      {...input}
      className="condition-many"
      searchable
      hidePickedOptions
      maxValues={MOST}
      placeholder={ids.length === 0 ? `Search ${plural[found.data?.noun ?? 'category']}` : ''}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      filter={({ options }) => options}
      nothingFoundMessage={messageOf(found)}
      data={[...offered].map(([value, label]) => ({ value, label }))}
      value={ids}
      onChange={onChange}
    />
  )
}

const plural = { category: 'categories', 'product type': 'product types' } as const

function messageOf({ error, isFetching, data }: ReturnType<typeof useCategories>): string {
  if (error) return 'They could not be loaded.'
  if (isFetching) return 'Loading…'
  return data?.isKnown === false ? 'They have not been read from your store yet.' : 'Nothing found by this name.'
}
