import { Button, Card, Group, Text, TextInput, Title } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useHasPermission } from '../../core/access/queries.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { DataSubjectFound } from './DataSubjectFound.tsx'
import { useDataSubject } from './privacy-queries.ts'

/** Everything stored about one shopper: view, export or erase (C8). Cart pages link here with `?person=`. */
export function DataSubject() {
  const canSearch = useHasPermission('privacy:write')
  const [search] = useSearchParams()
  const { hash } = useLocation()
  const navigate = useNavigate()
  const address = search.get('person')?.trim() ?? ''
  const openAddress = (typed: string) => {
    const next = new URLSearchParams(search)
    if (typed) next.set('person', typed)
    else next.delete('person')
    // Keep the section in the hash; changing only the search would drop it.
    navigate({ search: next.toString(), hash }, { preventScrollReset: true })
  }
  return (
    <>
      <Card>
        <Title order={2}>Data requests</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          Find a person by email address or phone number, then export or erase their data.
        </Text>
        {canSearch ? (
          <AddressForm key={address} address={address} onSearch={openAddress} />
        ) : (
          <Notice tone="info">Only an owner or admin can do this.</Notice>
        )}
      </Card>
      {canSearch && address && <Found key={address} address={address} onSearch={openAddress} />}
    </>
  )
}

function AddressForm({ address, onSearch }: { address: string; onSearch: (address: string) => void }) {
  const [typed, setTyped] = useState(address)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(typed.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <Group gap="sm" align="flex-end">
        <TextInput
          style={{ flex: '1 1 240px' }}
          label="Email or phone number"
          name="person"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" disabled={typed.trim() === ''}>
          Find
        </Button>
      </Group>
    </form>
  )
}

function Found({ address, onSearch }: { address: string; onSearch: (address: string) => void }) {
  const person = useDataSubject(address)
  if (person.isPending) return <LoadingCards count={1} rows={6} />
  if (person.error && person.data === undefined) {
    return <Failed title="This person could not be looked up" error={person.error} onRetry={() => person.refetch()} />
  }
  if (!person.data) {
    return (
      <Card>
        <Empty
          icon={IconSearchOff}
          title="No data about this address"
          text="Try another address of the same person, or check the spelling. Phone numbers need the country code."
        />
      </Card>
    )
  }
  return <DataSubjectFound person={person.data} onRefresh={() => person.refetch()} onDone={() => onSearch('')} />
}
