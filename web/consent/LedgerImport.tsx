import './ledger.css'
import { Button, Card, FileButton, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { z } from 'zod'
import { IMPORT_MOST_ROWS, type ImportView, type uploadConsents } from '../../shared/ledger.ts'
import { useMay } from '../access/queries.ts'
import { DownloadButton } from '../ui/Download.tsx'
import { formatCount } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { DateTime } from '../ui/Time.tsx'
import { LedgerMapping } from './LedgerMapping.tsx'
import { useImports, useReport, useUpload } from './ledger-queries.ts'
import { progressOf } from './ledger-text.ts'

export type Uploaded = z.output<typeof uploadConsents.reply>

/** Consents given elsewhere, with what proves them (C5). */
export function ConsentImport() {
  const [uploaded, setUploaded] = useState<Uploaded | null>(null)
  const mayImport = useMay('flows:switch')
  return (
    <>
      <Card>
        <Title order={2}>Import consents</Title>
        <Stack gap="sm" mt={4}>
          <Text fz="sm" c="dimmed">
            Import people who opted in elsewhere, such as in your newsletter tool. Each opt-in needs an address, a date
            and a source; otherwise it proves nothing and is refused. Opt-outs need only an address. People who opted
            out here stay opted out.
          </Text>
          {!mayImport ? (
            <Notice tone="info">Only the owner or an admin of the account can import consents.</Notice>
          ) : uploaded ? (
            <LedgerMapping key={uploaded.import.id} uploaded={uploaded} onDone={() => setUploaded(null)} />
          ) : (
            <Upload onUploaded={setUploaded} />
          )}
        </Stack>
      </Card>
      <Imports mayReport={mayImport} />
    </>
  )
}

function Upload({ onUploaded }: { onUploaded: (uploaded: Uploaded) => void }) {
  const upload = useUpload()
  const take = (file: File | null) => file && upload.mutate(file, { onSuccess: onUploaded })
  return (
    <Stack gap="sm" align="flex-start">
      <FileButton accept=".csv,.txt,text/csv" onChange={take}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            leftSection={<IconFileUpload size={16} aria-hidden />}
            loading={upload.isPending}
          >
            Choose a CSV file
          </Button>
        )}
      </FileButton>
      <Text fz="sm" c="dimmed">
        The first line contains the column names. Up to {formatCount(IMPORT_MOST_ROWS)} rows. You can check how the rows
        are read before you import them.
      </Text>
      {upload.error && (
        <Notice tone="bad" title="The file could not be read" isLive>
          {upload.error.message}
        </Notice>
      )}
    </Stack>
  )
}

function Imports({ mayReport }: { mayReport: boolean }) {
  const imports = useImports()
  return (
    <Loaded query={imports} loading={<LoadingList count={1} />} failed="The imports could not be loaded">
      {(data) => <Earlier imports={data.imports.filter(({ state }) => state !== 'uploaded')} mayReport={mayReport} />}
    </Loaded>
  )
}

function Earlier({ imports, mayReport }: { imports: ImportView[]; mayReport: boolean }) {
  if (imports.length === 0) return null
  return (
    <Card component="section" aria-label="Earlier imports">
      <Title order={2}>Earlier imports</Title>
      <ul className="ledger-entries">
        {imports.map((each) => (
          <li key={each.id}>
            <OneImport about={each} mayReport={mayReport} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function OneImport({ about, mayReport }: { about: ImportView; mayReport: boolean }) {
  const report = useReport()
  const { state, rowCount, doneCount, addedCount, knownCount, refusedCount } = about
  const done = progressOf(doneCount, rowCount)
  return (
    <Stack gap={4}>
      <div className="ledger-head">
        <strong>{about.fileName}</strong>
        <Text component="span" fz="sm" c="dimmed" className="ledger-time">
          <DateTime at={about.confirmedAt ?? about.uploadedAt} />
        </Text>
      </div>
      {state === 'running' ? (
        <>
          <Progress value={done} aria-label={`Import of ${about.fileName}`} />
          <Text fz="sm" role="status">
            {formatCount(doneCount)} of {formatCount(rowCount)} rows read
          </Text>
        </>
      ) : state === 'failed' ? (
        <Notice tone="bad" title="Stopped in the middle">
          {formatCount(doneCount)} of {formatCount(rowCount)} rows were read. Upload the file again: nothing is imported
          twice.
        </Notice>
      ) : (
        <Text fz="sm" role="status">
          {formatCount(addedCount)} imported, {formatCount(knownCount)} already known, {formatCount(refusedCount)}{' '}
          refused
        </Text>
      )}
      <Text fz="sm" c="dimmed">
        Confirmed by {about.confirmedBy ?? 'somebody'}: “{about.legalGround}”
      </Text>
      {mayReport && state !== 'running' && about.hasReport && (
        <Group>
          <DownloadButton
            size="xs"
            label="Refused rows as CSV"
            isBusy={report.isPending}
            onClick={() => report.mutate(about.id)}
          />
        </Group>
      )}
      {report.error && (
        <Notice tone="bad" isLive>
          {report.error.message}
        </Notice>
      )}
    </Stack>
  )
}
