import { CloseButton, Loader, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'

/** Searches one second after the last key (B 7), immediately on Enter. */
export function SearchBox({
  label,
  value,
  placeholder = label,
  isBusy = false,
  onSearch,
}: {
  label: string
  value: string
  /** Describes the searched fields, if the label does not. */
  placeholder?: string
  /** The request is running. */
  isBusy?: boolean
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const [lastValue, setLastValue] = useState(value)
  // The address changed by Back or a link, so update the input.
  if (value !== lastValue) {
    setLastValue(value)
    if (value !== text.trim()) setText(value)
  }
  const searchDebounced = useDebouncedCallback((next: string) => onSearch(next.trim()), 1_000)
  const searchNow = (next: string) => {
    searchDebounced.cancel()
    setText(next)
    onSearch(next.trim())
  }
  const isWaiting = isBusy || text.trim() !== value
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      aria-busy={isWaiting}
      leftSection={isWaiting ? <Loader size={14} aria-hidden /> : <IconSearch size={16} aria-hidden />}
      rightSection={text ? <CloseButton aria-label="Clear search" onClick={() => searchNow('')} /> : null}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        searchDebounced(event.currentTarget.value)
      }}
      onKeyDown={(event) => event.key === 'Enter' && searchNow(text)}
    />
  )
}
