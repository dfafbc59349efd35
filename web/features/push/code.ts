import type { PushMethod } from '../../../shared/delivery/push.ts'

// Code snippets for the shop (A 2.10, decision 75). Pure; keep docs/web-push.md in step.

const HEREDOC = 'RECOUP_SW'

interface Widget {
  /** Recoup's origin. */
  origin: string
  storeKey: string
  /** The store URL as connected: a shop may be in a folder or have a second address. */
  storeUrl: string
}

const buildScriptLine = ({ origin, storeKey, storeUrl }: Widget, method: PushMethod) =>
  `<script src="${origin}/push/${storeKey}.js" data-method="${method}" data-store-url="${escapeAttribute(storeUrl)}" defer></script>`

/** Escapes for an HTML attribute inside a single-quoted PHP string. */
const escapeAttribute = (url: string) =>
  url.replace(/[&"'<>\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** One script line for every page; sw.js is uploaded to the site's root. */
export const easyCode = (widget: Widget) => buildScriptLine(widget, 'easy')

/** The same plus a button of the shop's own, hidden where it cannot work. */
export const buttonCode = (widget: Widget) =>
  `<button type="button" data-recoup-push hidden>Remind me of my cart</button>\n${buildScriptLine(widget, 'button')}`

/** For functions.php: the script line in the head, and sw.js served by PHP; nothing to upload. */
export const functionsCode = (
  widget: Widget,
  worker: string,
) => `// Recoup web push: paste at the end of functions.php of your child theme.
add_action( 'wp_head', function () {
    echo '${buildScriptLine(widget, 'functions')}';
} );
add_action( 'init', function () {
    if ( ! isset( $_GET['recoup-sw'] ) || '1' !== $_GET['recoup-sw'] ) {
        return;
    }
    defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
    nocache_headers();
    header( 'Content-Type: text/javascript; charset=utf-8' );
    header( 'Service-Worker-Allowed: /' );
    echo <<<'${HEREDOC}'
${worker.trim()}
${HEREDOC};
    exit;
}, 0 );`
