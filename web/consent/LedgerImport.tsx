import './ledger.css'
import { Button, Card, FileButton, Stack, Text, Title } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { z } from 'zod'
import { IMPORT_MOST_ROWS, type uploadConsents } from '../../shared/ledger.ts'
import { useHasPermission } from '../access/queries.ts'
import { formatCount } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { Imports } from './LedgerImports.tsx'
import { LedgerMapping } from './LedgerMapping.tsx'
import { useUpload } from './ledger-queries.ts'

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
            and a source; otherwise it proves nothing and is refused. Opt-outs, bounces and complaints need only an
            address. People who opted out here stay opted out.
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
