/** Names for what Swagger UI leaves without: a selector, and the name, or how to find it. */
const NAMES = {
  '#servers': () => 'Server',
  '.servers input': (input) => input.dataset.variable,
  '.examples-select-element': () => 'Example',
  'select.content-type, .response-control-media-type select': () => 'Media type',
  '.body-param__text': () => 'Request body',
  '.close-modal': () => 'Close',
  '.parameters select, .parameters input': (field) => field.closest('[data-param-name]')?.dataset.paramName,
};

/** Swagger UI draws its page again and again: what it lacks is added whenever it has drawn. */
export function mendAccessibility(page) {
  const followDialog = dialogFollower(page);
  const mend = () => {
    for (const [selector, nameOf] of Object.entries(NAMES)) {
      for (const element of page.querySelectorAll(`:is(${selector}):not([aria-label])`)) {
        const name = nameOf(element);
        if (name) element.setAttribute('aria-label', name);
      }
    }
    // What scrolls must be reachable without a mouse.
    for (const code of page.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
    followDialog();
  };
  new MutationObserver(mend).observe(page, { childList: true, subtree: true });
  page.addEventListener('focusin', followDialog);
  mend();
}

/** The keyboard follows into a dialog, stays while it is open, and returns to where it came from. */
function dialogFollower(page) {
  let isOpen = false;
  let cameFrom = null;
  return () => {
    const dialog = page.querySelector('.dialog-ux');
    if (dialog) {
      isOpen = true;
      dialog.setAttribute('role', 'dialog');
      dialog.setAttribute('aria-modal', 'true');
      dialog.setAttribute('aria-label', 'Authorize');
      if (!dialog.contains(document.activeElement)) dialog.querySelector('input, .modal-btn')?.focus();
    } else if (isOpen) {
      isOpen = false;
      cameFrom?.focus();
    } else {
      cameFrom = document.activeElement;
    }
  };
}
