import './mail-editor.css'
import { Button, Drawer, Group, Modal, Tabs, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAdjustments, IconArrowLeft } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { EditorContent, useEditor, useEditorState } from '@tiptap/react'
import { type CSSProperties, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import { DEFAULT_BRAND_FIELDS, isPromiseReadable } from '../../../shared/messages/brand.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import type { MailTheme } from '../../../shared/messages/mail-theme.ts'
import { useStore } from '../../core/access/queries.ts'
import { LoadingMail } from '../../core/ui/Loading.tsx'
import { findBlock, findById, selectBlock } from './actions.ts'
import { BlockSettings } from './BlockSettings.tsx'
import { buildValues, type CartChoice } from './CartChooser.tsx'
import { type EditorNode, fromEditor, toEditor } from './convert.ts'
import { isEscape } from './escape.ts'
import { Gutter } from './Gutter.tsx'
import { createBlockKeys } from './keeper.ts'
import { createLook, type Look, LookSource, toMailKit } from './look.ts'
import { MailSettings } from './MailSettings.tsx'
import { Outline } from './Outline.tsx'
import { hasLegacyText, Preview } from './Preview.tsx'
import { findMailProblems, type MailProblem } from './problems.ts'
import { useBrandKit, useRendered } from './queries.ts'
import { createSlash, SlashMenu, type SlashPort } from './Slash.tsx'
import { createMailSchema } from './schema.ts'
import { TestMail } from './TestMail.tsx'
import { TextTools, UndoTools, type View, ViewSwitch } from './Toolbar.tsx'
import { drawLogo } from './views.ts'

export interface MailEditorProps {
  title: string
  document: MailDocument
  /** Of its messages, for previews and tests. */
  coupon?: StepCoupon | null | undefined
  /** Called after a pause, and before it closes. */
  onChange: (document: MailDocument) => void
  onClose: () => void
}

/** The full-screen editor of a mail. */
export function MailEditor(props: MailEditorProps) {
  const brand = useBrandKit()
  return (
    <Modal
      opened
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      onClose={props.onClose}
      zIndex={300}
      padding={0}
      radius={0}
      transitionProps={{ duration: 0 }}
      classNames={{ content: 'me-dialog', body: 'me-body' }}
      attributes={{ content: { 'aria-label': props.title } }}
      // Every open dialog would close at Escape, so each of them closes by its own handler.
      onFocusCapture={(event) => event.target.setAttribute('data-mantine-stop-propagation', 'true')}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {brand.isPending ? (
        <LoadingMail />
      ) : (
        <Studio {...props} kit={toMailKit(brand.data ?? { look: DEFAULT_BRAND_FIELDS, logo: null }, location.origin)} />
      )}
    </Modal>
  )
}

/** Amounts and added words while the store's language is not known here. */
const DEFAULT_LANGUAGE = 'en-US'
const PAUSE_MS = 800
const WITHOUT_SIDE = '(max-width: 62em)'
const FIRST_SETTING = '#mail-settings :is(input, select, textarea, button, [contenteditable=true]):not([role=tab])'

type Kit = ReturnType<typeof toMailKit>

function Studio({ kit, ...props }: MailEditorProps & { kit: Kit }) {
  const { title, coupon = null, onClose } = props
  const [cart, setCart] = useState<CartChoice>('three')
  const [view, setView] = useState<View>('edit')
  const [tab, setTab] = useState('mail')
  const [live, say] = useState('')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const isNarrow = useMediaQuery(WITHOUT_SIDE, false, { getInitialValueInEffect: false }) ?? false
  const look = useLook(kit, props.document, cart)
  const close = useRef(onClose)
  const showSettings = () => {
    if (isNarrow) setSheetOpen(true)
    requestAnimationFrame(() => document.querySelector<HTMLElement>(FIRST_SETTING)?.focus())
  }
  const settings = useRef(showSettings)
  settings.current = showSettings
  const port = useRef<SlashPort>({ show: () => {}, press: () => false })
  const editor = useEditor({
    content: toEditor(props.document),
    extensions: [
      ...createMailSchema(look),
      createSlash(port),
      createBlockKeys({ announce: say, onSettings: () => settings.current(), onLeave: () => close.current() }),
    ],
    editorProps: {
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': 'Email',
        class: 'me-mail',
        'data-mantine-stop-propagation': 'true',
      },
    },
  })
  const { mail, flush } = useMail(editor, props)
  close.current = () => {
    flush()
    onClose()
  }
  const shown = useThemeOf(look, kit, mail, cart)
  const problems = useMemo(() => findMailProblems(mail), [mail])
  const isByServer = view !== 'edit' && (typeof cart !== 'string' || hasLegacyText(mail))
  const rendered = useRendered(isByServer ? mail : null, cart, coupon)
  useBlockTab(editor, setTab)
  const showProblem = ({ blockId }: MailProblem) => {
    const found = blockId === null ? null : findById(editor.state, blockId)
    if (found) selectBlock(editor, found.pos)
    setView('edit')
    settings.current()
  }
  const side = (
    <Side
      {...{ editor, look, mail, problems, cart, tab, say }}
      onTab={setTab}
      onCart={setCart}
      onProblem={showProblem}
    />
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape outside of the mail
    <div
      className="me-studio"
      onKeyDown={(event) => {
        if (isEscape(event)) close.current()
      }}
    >
      <div className="me-head">
        <Group gap="sm" wrap="nowrap" className="me-name">
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={() => close.current()}
          >
            Done
          </Button>
          <Text component="h1" fw={620} truncate>
            {title}
          </Text>
        </Group>
        <div className="me-tools" role="toolbar" aria-label="Text and blocks">
          <UndoTools editor={editor} />
          {view === 'edit' && <TextTools editor={editor} />}
        </div>
        <Group gap="sm" wrap="nowrap" className="me-views">
          <ViewSwitch value={view} onChange={setView} />
          <TestMail document={mail} cart={cart} coupon={coupon} isBlocked={problems.length > 0} />
        </Group>
      </div>
      <div className="me-rest">
        <section className="me-desk" aria-label="The email" style={toVariables(shown.theme)}>
          <div hidden={view !== 'edit'}>
            <Canvas editor={editor} look={look} theme={mail.theme} port={port} />
          </div>
          {view !== 'edit' && <Preview document={mail} look={shown} view={view} rendered={rendered} />}
        </section>
        {!isNarrow && (
          <aside className="me-side" aria-label="Settings" id="mail-settings">
            {side}
          </aside>
        )}
      </div>
      {isNarrow && (
        <>
          <Button
            className="me-open"
            leftSection={<IconAdjustments size={18} aria-hidden />}
            onClick={() => setSheetOpen(true)}
          >
            Settings
            {problems.length > 0 && <span className="me-count">{problems.length}</span>}
          </Button>
          <Drawer
            opened={isSheetOpen}
            onClose={() => setSheetOpen(false)}
            onKeyDown={(event) => {
              if (isEscape(event)) setSheetOpen(false)
            }}
            position="bottom"
            size="72%"
            zIndex={350}
            title="Settings"
            closeButtonProps={{ 'aria-label': 'Close settings' }}
            attributes={{ header: { role: 'presentation' } }}
            classNames={{ content: 'me-sheet' }}
          >
            <div id="mail-settings">{side}</div>
          </Drawer>
        </>
      )}
      <div role="status" className="me-live">
        {live}
      </div>
    </div>
  )
}

function useLook(kit: Kit, document: MailDocument, cart: CartChoice): LookSource {
  const store = useSampleStore()
  const [look] = useState(
    () => new LookSource(createLook(kit, document.theme, DEFAULT_LANGUAGE, buildValues(cart, store, DEFAULT_LANGUAGE))),
  )
  return look
}

function useSampleStore() {
  const store = useStore()
  return useMemo(
    () => ({
      name: store?.name ?? 'Your store',
      currency: store?.currency ?? 'USD',
      url: store?.store_url ?? '',
      senderName: store?.senderName ?? '',
      postalAddress: store?.postalAddress ?? '',
      assetsUrl: `${location.origin}/brand/${store?.id}`,
    }),
    [store],
  )
}

/** The look follows theme, cart and brand kit. */
function useThemeOf(look: LookSource, kit: Kit, { theme, language }: MailDocument, cart: CartChoice): Look {
  const store = useSampleStore()
  const tag = language === null || language === 'en' ? DEFAULT_LANGUAGE : language
  const isReadable = isPromiseReadable(language, useStore()?.locale ?? null)
  const next = useMemo(
    () => createLook(isReadable ? kit : { ...kit, promise: '' }, theme, tag, buildValues(cart, store, tag)),
    [kit, isReadable, theme, tag, cart, store],
  )
  const shown = useRef(next)
  // Drawn in the same pass, so that colors and blocks agree.
  if (shown.current !== next) {
    shown.current = next
    queueMicrotask(() => look.set(next))
  }
  return next
}

/** The mail as edited; the one given where nothing has changed. */
function useMail(editor: Editor, { document, onChange }: Pick<MailEditorProps, 'document' | 'onChange'>) {
  const [given] = useState(() => ({ document, node: editor.state.doc }))
  const node = useEditorState({ editor, selector: ({ editor: { state } }) => state.doc, equalityFn: Object.is })
  const mail = useMemo(() => readDocument(node, given), [node, given])
  const reported = useRef(document)
  const latest = useRef(onChange)
  latest.current = onChange
  const report = (next: MailDocument) => {
    if (reported.current === next) return
    reported.current = next
    latest.current(next)
  }
  useEffect(() => {
    const timer = setTimeout(() => report(mail), PAUSE_MS)
    return () => clearTimeout(timer)
  })
  const last = useRef(() => {})
  last.current = () => report(mail)
  // Also where the page around it closes the editor.
  useEffect(() => () => last.current(), [])
  return { mail, flush: () => report(readDocument(editor.state.doc, given, mail, node)) }
}

function readDocument(
  node: Node,
  given: { document: MailDocument; node: Node },
  known?: MailDocument,
  knownNode?: Node,
): MailDocument {
  if (known && node === knownNode) return known
  const isSame = node.eq(given.node) && node.sameMarkup(given.node)
  return isSame ? given.document : fromEditor(node.toJSON() as EditorNode)
}

/** Selecting a block shows its settings. */
function useBlockTab(editor: Editor, setTab: (tab: string) => void): void {
  useEffect(() => {
    const follow = () => {
      if (editor.isFocused && findBlock(editor.state)) setTab('block')
    }
    editor.on('selectionUpdate', follow)
    editor.on('focus', follow)
    return () => {
      editor.off('selectionUpdate', follow)
      editor.off('focus', follow)
    }
  }, [editor, setTab])
}

interface SideProps {
  editor: Editor
  look: LookSource
  mail: MailDocument
  problems: readonly MailProblem[]
  cart: CartChoice
  tab: string
  say: (text: string) => void
  onTab: (tab: string) => void
  onCart: (cart: CartChoice) => void
  onProblem: (problem: MailProblem) => void
}

function Side({ editor, look, mail, problems, cart, tab, say, onTab, onCart, onProblem }: SideProps) {
  const found = useEditorState({
    editor,
    selector: ({ editor: { state } }) => findBlock(state),
    equalityFn: (a, b) => a?.pos === b?.pos && a?.node === b?.node,
  })
  const own = found ? problems.filter(({ blockId }) => blockId === found.node.attrs.id) : []
  return (
    <Tabs value={tab} onChange={(next) => next && onTab(next)} keepMounted={false}>
      <Tabs.List grow>
        <Tabs.Tab value="block">Block</Tabs.Tab>
        <Tabs.Tab value="mail">
          Email{problems.length > 0 && <span className="me-count">{problems.length}</span>}
        </Tabs.Tab>
        <Tabs.Tab value="outline">Outline</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="block" p="md">
        {found ? (
          <BlockSettings editor={editor} found={found} look={look} problems={own.map(({ text }) => text)} say={say} />
        ) : (
          <Text fz="sm" c="dimmed">
            Select a part of the email to change it. In a text, press / to add a block.
          </Text>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="mail" p="md">
        <MailSettings {...{ editor, look, problems, cart, onCart, onProblem }} document={mail} />
      </Tabs.Panel>
      <Tabs.Panel value="outline" p="md">
        <Outline editor={editor} say={say} onSelect={() => onTab('block')} />
      </Tabs.Panel>
    </Tabs>
  )
}

interface CanvasProps {
  editor: Editor
  look: LookSource
  theme: string
  port: RefObject<SlashPort>
}

function Canvas({ editor, look, theme, port }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const logo = useRef<HTMLDivElement>(null)
  useEffect(() => drawLogo(logo.current!, look), [look])
  return (
    <div ref={frame} className="me-paper" data-theme-of-mail={theme}>
      <div ref={logo} className="me-logo" inert />
      <EditorContent editor={editor} />
      <Gutter editor={editor} frame={frame} />
      <SlashMenu editor={editor} port={port} />
    </div>
  )
}

/** The theme for the parts that are typed in place. */
const toVariables = (theme: MailTheme): CSSProperties =>
  ({
    '--me-page': theme.page,
    '--me-font': theme.font,
    '--me-heading-font': theme.headingFont,
    '--me-heading-size': `${theme.headingSize}px`,
    '--me-heading-small': `${theme.headingSizeSmall}px`,
    '--me-heading-weight': theme.headingWeight,
    '--me-heading-line': theme.headingLineHeight,
    '--me-heading-spacing': theme.headingSpacing,
    '--me-heading-case': theme.hasCapitals ? 'uppercase' : 'none',
    '--me-size': `${theme.bodySize}px`,
    '--me-padding': `${theme.padding}px`,
    '--me-corner': theme.isCard && theme.radius ? `${theme.radius + 8}px` : '0px',
  }) as CSSProperties
