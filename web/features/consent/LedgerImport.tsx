import './ledger.css'
import { Button, Card, FileButton, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { IconArrowBackUp, IconFileUpload, IconHelp } from '@tabler/icons-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { ImportDoubt, ImportView } from '../../../shared/marketing/ledger.ts'
import { MAX_IMPORT_ROWS, type uploadConsents } from '../../../shared/marketing/ledger.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { DownloadButton } from '../../core/ui/Download.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { LedgerMapping } from './LedgerMapping.tsx'
import { useImports, useReport, useReview, useUpload } from './ledger-queries.ts'
import { computeProgress } from './ledger-text.ts'

export type Uploaded = z.output<typeof uploadConsents.reply>

/** Imports consents collected elsewhere, with their evidence (C5). */
export function ConsentImport() {
  const [uploaded, setUploaded] = useState<Uploaded | null>(null)
  const mayImport = useHasPermission('flows:switch')
  return (
    <>
      <Card>
        <Title order={2}>Import consents</Title>
        <Stack gap="sm" mt={4}>
          <Text fz="sm" c="dimmed">
            Import people who opted in elsewhere, such as in your newsletter tool. Each opt-in needs an address, a date
            and a source as evidence. Opt-outs, bounces and complaints need only an address. People who opted out here
            stay opted out.
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
      <Imports mayDecide={mayImport} />
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
        The first line contains the column names. Up to {formatCount(MAX_IMPORT_ROWS)} rows. You can check how the rows
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

/** Earlier imports; each can be kept or undone. */
function Imports({ mayDecide }: { mayDecide: boolean }) {
  const imports = useImports()
  return (
    <Loaded query={imports} loading={<LoadingList count={1} />} failed="The imports could not be loaded">
      {(data) => <Earlier imports={data.imports.filter(({ state }) => state !== 'uploaded')} mayDecide={mayDecide} />}
    </Loaded>
  )
}

function Earlier({ imports, mayDecide }: { imports: ImportView[]; mayDecide: boolean }) {
  if (imports.length === 0) return null
  return (
    <Card component="section" aria-label="Earlier imports">
      <Title order={2}>Earlier imports</Title>
      <ul className="ledger-entries">
        {imports.map((each) => (
          <li key={each.id}>
            <OneImport about={each} mayDecide={mayDecide} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function OneImport({ about, mayDecide }: { about: ImportView; mayDecide: boolean }) {
  const { state, standing } = about
  return (
    <Stack gap={4}>
      <div className="ledger-head">
        <strong>{about.fileName}</strong>
        {standing === 'doubted' && <StatusBadge tone="warn" icon={IconHelp} label="Please check" />}
        {standing === 'undone' && <StatusBadge tone="quiet" icon={IconArrowBackUp} label="Undone" />}
        <Text component="span" fz="sm" c="dimmed" className="ledger-time">
          <DateTime at={about.confirmedAt ?? about.uploadedAt} />
        </Text>
      </div>
      <Outcome about={about} />
      <Text fz="sm" c="dimmed">
        Confirmed by {about.confirmedBy ?? 'a former member'}: “{about.legalGround}”
      </Text>
      {standing !== 'doubted' && about.reviewedAt && (
        <Text fz="sm" c="dimmed">
          {standing === 'undone' ? 'Undone' : 'Kept'} by {about.reviewedBy ?? 'a former member'},{' '}
          <DateTime at={about.reviewedAt} />
        </Text>
      )}
      {standing === 'doubted' && about.doubt && (
        <Notice tone="warn" title="Did these people opt in?">
          {doubtText[about.doubt]} Until you decide, its opt-ins do not count. Its opt-outs do.
        </Notice>
      )}
      {mayDecide && state !== 'running' && <Decisions about={about} />}
    </Stack>
  )
}

function Outcome({ about }: { about: ImportView }) {
  const { state, rowCount, doneCount, addedCount, knownCount, refusedCount, suppressedCount } = about
  if (state === 'running') {
    return (
      <>
        <Progress value={computeProgress(doneCount, rowCount)} aria-label={`Import of ${about.fileName}`} />
        <Text fz="sm" role="status">
          {formatCount(doneCount)} of {formatCount(rowCount)} rows read
        </Text>
      </>
    )
  }
  if (state === 'failed') {
    return (
      <Notice tone="bad" title="The import stopped">
        {formatCount(doneCount)} of {formatCount(rowCount)} rows were read. Upload the file again: nothing is imported
        twice.
      </Notice>
    )
  }
  return (
    <Text fz="sm" role="status">
      {formatCount(addedCount)} imported{suppressedCount > 0 && ` (${formatCount(suppressedCount)} suppressed)`},{' '}
      {formatCount(knownCount)} already known, {formatCount(refusedCount)} refused
    </Text>
  )
}

function Decisions({ about }: { about: ImportView }) {
  const [question, setQuestion] = useState<'keep' | 'undo' | null>(null)
  const report = useReport()
  const { standing } = about
  return (
    <>
      <Group gap="sm" mt={4}>
        {about.hasReport && (
          <DownloadButton
            size="xs"
            label="Refused rows as CSV"
            isBusy={report.isPending}
            onClick={() => report.mutate(about.id)}
          />
        )}
        {standing === 'doubted' && (
          <Button size="xs" variant="default" aria-label={`Keep ${about.fileName}`} onClick={() => setQuestion('keep')}>
            Keep
          </Button>
        )}
        {standing !== 'undone' && (
          <Button size="xs" variant="default" aria-label={`Undo ${about.fileName}`} onClick={() => setQuestion('undo')}>
            Undo
          </Button>
        )}
      </Group>
      {report.error && (
        <Notice tone="bad" isLive>
          {report.error.message}
        </Notice>
      )}
      {question && <Decide about={about} decision={question} onClose={() => setQuestion(null)} />}
    </>
  )
}

interface DecideProps {
  about: ImportView
  decision: 'keep' | 'undo'
  onClose: () => void
}

function Decide({ about, decision, onClose }: DecideProps) {
  const review = useReview(decision)
  const isUndo = decision === 'undo'
  const finish = () => {
    announce(isUndo ? 'Import undone' : 'Import kept')
    onClose()
  }
  return (
    <Confirm
      opened
      title={isUndo ? `Undo the import of ${about.fileName}?` : `Keep the import of ${about.fileName}?`}
      confirmLabel={isUndo ? 'Undo import' : 'Keep import'}
      isDangerous={isUndo}
      isBusy={review.isPending}
      problem={review.error?.message}
      onConfirm={() => review.mutate(about.id, { onSuccess: finish })}
      onClose={onClose}
    >
      <Text fz="sm">
        {isUndo
          ? 'Its opt-ins and opt-outs no longer count. They stay in the ledger, marked as undone. Choices people made in your shop or by reply still count. You can import the file again. This cannot be reversed.'
          : 'Keep it only if you know that the people in this file opted in. Its opt-ins count again; people who opted out here stay opted out. Your decision is recorded with your name.'}
      </Text>
    </Confirm>
  )
}

/** Why an import looks doubtful. */
const doubtText: Record<ImportDoubt, string> = {
  no_heading:
    'The column that the opt-ins were read from means the opposite, such as “Unsubscribed”. People who opted out may have been imported as opted in.',
  no_column:
    'No column of this file says who opted in, so all its rows were imported as opt-ins. People who opted out may be among them.',
}
