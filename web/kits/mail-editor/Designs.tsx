import { Button, Group, Modal, Select, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLayoutGrid } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { findMailLanguage, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { useStore } from '../../core/access/queries.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingMail } from '../../core/ui/Loading.tsx'
import { buildMailDocument } from '../../core/ui/mail.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { isEscape } from './escape.ts'
import { languageOptions } from './languages.ts'
import type { Look } from './look.ts'
import { fillMail } from './Preview.tsx'
import { loadDesigns } from './ready-designs.ts'

interface Props {
  look: Look
  onChoose: (document: MailDocument) => void
}

/** The ready designs with the shop's brand, behind a button. */
export function Designs({ look, onChoose }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const choose = (document: MailDocument) => {
    close()
    onChoose(document)
  }
  return (
    <>
      <Button variant="default" leftSection={<IconLayoutGrid size={16} aria-hidden />} onClick={open}>
        Start from a design
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        onKeyDown={(event) => {
          if (isEscape(event)) close()
        }}
        title="Start from a design"
        size="68rem"
        zIndex={400}
        closeButtonProps={{ 'aria-label': 'Close designs' }}
      >
        <Gallery look={look} onChoose={choose} />
      </Modal>
    </>
  )
}

function Gallery({ look, onChoose }: Props) {
  const store = useStore()
  const [language, setLanguage] = useState<string>(() => findMailLanguage(store?.locale ?? 'en'))
  const loaded = useQuery({
    queryKey: ['mail-designs', language],
    queryFn: () => loadDesigns(language),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const designs = useMemo(
    () =>
      loaded.data?.map((design) => ({
        ...design,
        html: buildMailDocument(fillMail(design.document, { ...look, language }).html),
      })),
    [loaded.data, language, look],
  )
  if (loaded.error)
    return <Failed title="The designs could not be loaded" error={loaded.error} onRetry={() => loaded.refetch()} />
  if (!designs) return <LoadingMail />
  return (
    <>
      <Group justify="space-between" align="end" mb="md">
        <Text fz="sm" c="dimmed">
          A design replaces this email. Undo brings it back.
        </Text>
        <Select
          label="Language"
          allowDeselect={false}
          comboboxProps={{ zIndex: 500 }}
          data={languageOptions}
          value={language}
          onChange={(next) => next && setLanguage(next)}
        />
      </Group>
      {!store?.senderEmail && (
        <Notice tone="warn">
          Some designs invite replies. They reach you once a <Link to="/settings/sending/sender">sender email</Link> is
          entered.
        </Notice>
      )}
      <ul className="me-designs">
        {designs.map(({ name, document, html }) => (
          <li key={name} className="me-design">
            <div className="me-design-picture" aria-hidden inert>
              <iframe sandbox="" referrerPolicy="no-referrer" srcDoc={html} title={name} tabIndex={-1} />
            </div>
            <button type="button" onClick={() => onChoose(document)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
