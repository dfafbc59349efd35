import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { checkSenderDomain, isSelector } from '../../../shared/delivery/sending.ts'
import { useMe } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { CheckList } from '../../core/ui/CheckList.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'

/** Whether receivers can verify the store's mail (SPF, DKIM, DMARC). */
export function SenderDomainCard({ storeId }: { storeId: string }) {
  const [selector, setSelector] = useState('')
  const domain = useSenderDomain(storeId, selector)
  const isDemo = useMe()?.isDemo
  const hasChecks = (domain.data?.checks.length ?? 0) > 0
  return (
    <Card component="section" aria-label="Sender’s domain">
      <Group justify="space-between" gap="xs">
        <Title order={2}>Sender’s domain</Title>
        {hasChecks && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={domain.isFetching}
            onClick={() => domain.refetch()}
          >
            Run again
          </Button>
        )}
      </Group>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {domain.data && hasChecks
          ? `Email comes from ${domain.data.address}. Three records of ${domain.data.domain} prove that it is genuine.`
          : 'Three DNS records prove that your email is genuine.'}
        {domain.data?.replyTo && ` Replies go to ${domain.data.replyTo}.`}
      </Text>
      <Stack gap="md">
        {domain.isPending && <LoadingList count={3} />}
        {domain.error && (
          <Failed title="The domain could not be checked" error={domain.error} onRetry={() => domain.refetch()} />
        )}
        {domain.data?.note && !isDemo && <Notice tone="info">{domain.data.note}</Notice>}
        {domain.data && !hasChecks && <Facts entries={records} />}
        {domain.data && hasChecks && <CheckList label="Records of the sender’s domain" checks={domain.data.checks} />}
        {(hasChecks || selector !== '') && <Selector onChoose={setSelector} />}
      </Stack>
    </Card>
  )
}

/** What is checked once emails come from a real domain. */
const records: [string, string][] = [
  ['SPF', 'Your mail server may send for the domain'],
  ['DKIM', 'The email is signed by the domain'],
  ['DMARC', 'What receivers do with email that fails both'],
]

/** DKIM keys are stored under selectors, which cannot be listed. */
function Selector({ onChoose }: { onChoose: (selector: string) => void }) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const selector = typed.trim()
    if (selector !== '' && !isSelector(selector)) return setProblem('Letters, digits, dots and hyphens only')
    setProblem(null)
    onChoose(selector)
  }
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="DKIM selector"
          description="The name of the key at your email provider. Leave empty to check the usual names."
          placeholder="s1"
          spellCheck={false}
          autoComplete="off"
          style={{ flex: '1 1 auto', maxWidth: 360 }}
          value={typed}
          error={problem}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" style={{ flex: 'none' }}>
          Check
        </Button>
      </Group>
    </form>
  )
}

/** Checks once per selector; again only on request. */
const useSenderDomain = (storeId: string, selector: string) =>
  useQuery({
    queryKey: ['store', storeId, 'sender-domain', selector],
    queryFn: ({ signal }) => call(checkSenderDomain, { query: { storeId, selector: selector || undefined }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
