import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { LinkHostView } from '../../../shared/carts/link-host.ts'
import * as links from '../../../shared/carts/link-host.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { CheckList } from '../../core/ui/CheckList.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { PermittedChannelForm } from './PermittedChannelForm.tsx'

/** Custom host for links in mails. */
export function LinkHostCard({ storeId }: { storeId: string }) {
  const host = useLinkHost(storeId)
  return (
    <Card component="section" aria-label="Links in your emails">
      <Title order={2}>Links in your emails</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Use your own domain, such as links.shop.com.
        {host.data && !host.data.isFixed && ` Until its DNS records are verified, links use ${host.data.target}.`}
      </Text>
      {host.isPending && <LoadingList count={1} />}
      {host.error && (
        <Failed title="The link domain could not be loaded" error={host.error} onRetry={() => host.refetch()} />
      )}
      {host.data && <Content key={host.data.host} storeId={storeId} view={host.data} />}
    </Card>
  )
}

function Content({ storeId, view }: { storeId: string; view: LinkHostView }) {
  return (
    <Stack gap="md">
      {view.host && <CheckList label="Domain status" checks={[describeProof(view), buildCheck(view, view.host)]} />}
      <PermittedChannelForm fixed={view.isFixed && [['Domain', view.target]]}>
        <HostForm storeId={storeId} view={view} />
      </PermittedChannelForm>
    </Stack>
  )
}

const describeProof = ({ isProven, proof, problem }: LinkHostView) => ({
  id: 'link-host-proof',
  title: 'Proof of ownership',
  state: isProven ? ('good' as const) : ('warn' as const),
  finding: isProven ? 'Ownership is confirmed.' : (problem ?? 'It is being checked.'),
  nextStep: isProven
    ? null
    : 'Add this record where the domain’s DNS is managed. It is checked every five minutes for a week.',
  answer: null,
  record: isProven || !proof ? null : { ...proof, type: 'TXT' },
})

const buildCheck = ({ isProven, isUsed, problem, target }: LinkHostView, host: string) => ({
  id: 'link-host',
  title: host,
  state: isUsed ? ('good' as const) : isProven ? ('warn' as const) : ('quiet' as const),
  finding: describeFinding({ isProven, isUsed, problem }),
  nextStep: isUsed ? null : 'Add this record where the domain’s DNS is managed. It is checked every five minutes.',
  answer: null,
  record: isUsed ? null : { name: host, type: 'CNAME', value: target },
})

function describeFinding({ isProven, isUsed, problem }: Pick<LinkHostView, 'isProven' | 'isUsed' | 'problem'>): string {
  if (isUsed) return 'New emails use this domain.'
  return isProven ? (problem ?? 'It is being checked.') : 'It is checked once ownership is confirmed.'
}

function HostForm({ storeId, view }: { storeId: string; view: LinkHostView }) {
  const [typed, setTyped] = useState(view.host ?? '')
  const change = useChangeLinkHost(storeId)
  useDraft(`link-host:${storeId}`, typed !== (view.host ?? '') ? typed : null, setTyped)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(typed.trim().toLowerCase(), {
      onSuccess: ({ isUsed }) => announce(isUsed ? 'Domain saved. New links use it.' : 'Saved, but not in use yet'),
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <TextInput
          label="Domain"
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

const linkHostQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['store', storeId, 'link-host'],
    queryFn: ({ signal }): Promise<links.LinkHostView> => call(links.readLinkHost, { query: { storeId }, signal }),
  })

const useLinkHost = (storeId: string) => useQuery(linkHostQuery(storeId))

/** The answer replaces the cached state. Without a host, the custom host is removed. */
function useChangeLinkHost(storeId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (host: string | null): Promise<links.LinkHostView> =>
      host === null
        ? call(links.removeLinkHost, { query: { storeId } })
        : call(links.saveLinkHost, { query: { storeId }, body: { host } }),
    onSuccess: (view) => queries.setQueryData(linkHostQuery(storeId).queryKey, view),
  })
}
