import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { LinkHostView } from '../../shared/link-host.ts'
import { useDraft } from '../access/drafts.ts'
import { useMay } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { CheckList } from '../ui/CheckList.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useChangeLinkHost, useLinkHost } from './sending-queries.ts'

/** A host of the shop's own for the links in its mails. */
export function LinkHostCard({ storeId }: { storeId: string }) {
  const host = useLinkHost(storeId)
  return (
    <Card component="section" aria-label="Links in your mails">
      <Title order={2}>Links in your mails</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Links can begin with a name of your own shop, such as links.shop.com. Shoppers and mail services see a name they
        know. It is used only while it leads here; if that ends, links are on {host.data?.target ?? 'this server'} at
        once.
      </Text>
      {host.isPending && <LoadingList count={1} />}
      {host.error && <Failed title="Could not be loaded" error={host.error} onRetry={() => host.refetch()} />}
      {host.data && <Content key={host.data.host} storeId={storeId} view={host.data} />}
    </Card>
  )
}

function Content({ storeId, view }: { storeId: string; view: LinkHostView }) {
  const isAllowed = useMay('flows:switch')
  return (
    <Stack gap="md">
      {view.host && <CheckList label="State of the name" checks={[checkOf(view, view.host)]} />}
      {view.isFixed && <Notice tone="info">The demo’s links stay on this server.</Notice>}
      {!view.isFixed && !isAllowed && (
        <Notice tone="info">Only the owner or an admin of the account can change this.</Notice>
      )}
      {!view.isFixed && isAllowed && <HostForm storeId={storeId} view={view} />}
    </Stack>
  )
}

const checkOf = ({ isUsed, problem, target }: LinkHostView, host: string) => ({
  id: 'link-host',
  title: host,
  state: isUsed ? ('good' as const) : ('warn' as const),
  finding: isUsed ? 'Links in new mails begin with it.' : (problem ?? 'It is being checked.'),
  nextStep: isUsed ? null : 'Add this record where the domain’s DNS is managed. It is looked at every five minutes.',
  answer: null,
  record: isUsed ? null : { name: host, type: 'CNAME', value: target },
})

function HostForm({ storeId, view }: { storeId: string; view: LinkHostView }) {
  const [typed, setTyped] = useState(view.host ?? '')
  const change = useChangeLinkHost(storeId)
  useDraft(`link-host:${storeId}`, typed !== (view.host ?? '') ? typed : null, setTyped)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(typed.trim().toLowerCase(), {
      onSuccess: ({ isUsed }) => announce(isUsed ? 'Links begin with it from now on' : 'Saved, but not in use yet'),
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <TextInput
          label="Name"
          placeholder="links.shop.com"
          spellCheck={false}
          autoComplete="off"
          maw={360}
          value={typed}
          error={change.error?.message}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Button type="submit" variant="default" loading={change.isPending} disabled={typed.trim() === ''}>
            {view.host && typed === view.host ? 'Check again' : 'Save and check'}
          </Button>
          {view.host && (
            <Button variant="default" disabled={change.isPending} onClick={() => change.mutate(null)}>
              Remove
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
