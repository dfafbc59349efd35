import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { useState } from 'react'
import { suppressionTexts } from '../../../shared/shoppers/suppressions.ts'
import {
  type DataKind,
  dataKindText,
  type Erasure,
  exportDataSubject,
  type Person,
} from '../../../shared/workspace/privacy.ts'
import { BROKEN, call, getErrorText } from '../../core/api/api.ts'
import { DownloadButton, useDownload } from '../../core/ui/Download.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { formatDateTime } from '../../core/ui/times.ts'
import { EraseDataSubject } from './EraseDataSubject.tsx'
import { ErasureProgress } from './ErasureProgress.tsx'

interface Props {
  person: Person
  onRefresh: () => void
  /** Called after an erasure. */
  onDone: () => void
  doneLabel?: string
  /** Set on the customer's own page, which already shows the name. */
  title?: string
}

export function DataSubjectFound({ person, onRefresh, title, ...done }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [erasure, setErasure] = useState<Erasure | null>(person.erasures.find((each) => !each.finishedAt) ?? null)
  if (erasure) return <ErasureProgress key={erasure.id} started={erasure} {...done} />
  return (
    <Card>
      <Title order={2} style={{ overflowWrap: 'anywhere' }}>
        {title ?? person.names[0] ?? person.address}
      </Title>
      <Erased erasures={person.erasures} />
      <Stack gap="lg" mt="md">
        <Facts entries={describeSubject(person)} />
        <div>
          <Title order={3} fz="sm" mb="xs">
            Stored data
          </Title>
          <Facts entries={describeStored(person)} />
        </div>
        <Files address={person.address} />
        <Group gap="sm" align="center">
          <Button
            color="red"
            variant="outline"
            leftSection={<IconUserOff size={16} aria-hidden />}
            onClick={() => setAsking(true)}
          >
            Erase this person
          </Button>
        </Group>
      </Stack>
      <EraseDataSubject
        person={person}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onErasing={(started) => {
          setAsking(false)
          setErasure(started)
          onRefresh()
        }}
      />
    </Card>
  )
}

function Erased({ erasures }: { erasures: Erasure[] }) {
  const [last] = erasures
  if (!last?.finishedAt) return null
  return (
    <div style={{ marginTop: 12 }}>
      <Notice tone="info">
        Erased on {formatDateTime(last.finishedAt)}
        {last.askedBy && ` by ${last.askedBy}`}. They can no longer be contacted.
      </Notice>
    </div>
  )
}

function describeSubject({ address, addresses, names, stores, firstSeenAt, suppressed }: Person): [string, string][] {
  const others = addresses.filter((each) => each !== address)
  const stopped = suppressed.map(
    ({ channel, reason }) => `${suppressionTexts.channels[channel]}: ${suppressionTexts.reasons[reason]}`,
  )
  return [
    ['Address', address],
    ...(others.length > 0 ? [['Also known as', others.join(', ')] as [string, string]] : []),
    ...(names.length > 1 ? [['Names', names.join(', ')] as [string, string]] : []),
    ['Stores', stores.map(({ name }) => name).join(', ') || 'None'],
    ...(firstSeenAt ? [['First seen', formatDateTime(firstSeenAt)] as [string, string]] : []),
    ['Suppression list', stopped.length > 0 ? stopped.join('; ') : 'Not on it'],
  ]
}

function describeStored({ counts }: Person): [string, string][] {
  const storedKinds = (Object.keys(dataKindText) as DataKind[]).filter((name) => (counts[name] ?? 0) > 0)
  if (storedKinds.length === 0) return [['Nothing', 'except the fingerprint on the suppression list']]
  return storedKinds.map((name) => [dataKindText[name], formatCount(counts[name]!)])
}

function Files({ address }: { address: string }) {
  const download = useExportDataSubject(address)
  return (
    <div>
      <Title order={3} fz="sm" mb={4}>
        Export data
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        All stored data, as spreadsheet tables or one JSON file.
      </Text>
      <Group gap="sm">
        <DownloadButton
          label="Export tables (zip)"
          isBusy={download.isPending && download.variables === 'csv'}
          onClick={() => download.mutate('csv')}
        />
        <DownloadButton
          label="Export JSON"
          isBusy={download.isPending && download.variables === 'json'}
          onClick={() => download.mutate('json')}
        />
      </Group>
      {download.error && (
        <div style={{ marginTop: 12 }}>
          <Notice tone="bad" isLive>
            {getErrorText(download.error, BROKEN)}
          </Notice>
        </div>
      )}
    </div>
  )
}

const useExportDataSubject = (address: string) =>
  useDownload((format: 'json' | 'csv') => call(exportDataSubject, { params: { address }, query: { format } }))
