import { Button, Group, Modal, Select, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLayoutGrid } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { designLanguages, listDesigns } from '../../../shared/messages/designs/designs.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { buildMailDocument } from '../../core/ui/mail.ts'
import type { Look } from './look.ts'
import { fillMail } from './Preview.tsx'

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

const names = new Intl.DisplayNames(['en'], { type: 'language' })
const languages = designLanguages.map((value) => ({ value, label: names.of(value) ?? value }))

function Gallery({ look, onChoose }: Props) {
  const [language, setLanguage] = useState('en')
  const designs = useMemo(
    () =>
      listDesigns(language).map((design) => ({
        ...design,
        html: buildMailDocument(fillMail(design.document, { ...look, language }).html),
      })),
    [language, look],
  )
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
          data={languages}
          value={language}
          onChange={(next) => next && setLanguage(next)}
        />
      </Group>
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
