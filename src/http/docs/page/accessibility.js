/** Accessible names for elements that Swagger UI leaves unnamed, by selector. */
const NAMES = {
  '#servers': () => 'Server',
  '.examples-select-element': () => 'Example',
  'select.content-type, .response-control-media-type select': () => 'Media type',
  '.body-param__text': () => 'Request body',
  '.close-modal': () => 'Close',
  '.parameters select, .parameters input': (field) => field.closest('[data-param-name]')?.dataset.paramName,
};

/** Repairs the page after every rendering of Swagger UI. */
export function repairAccessibility(page) {
  const manageFocus = dialogFocus(page);
  const repair = () => {
    for (const [selector, nameOf] of Object.entries(NAMES)) {
      for (const element of page.querySelectorAll(`:is(${selector}):not([aria-label])`))
        element.ariaLabel = nameOf(element) ?? null;
    }
    // Scrollable elements must be reachable by keyboard.
    for (const code of page.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
    manageFocus();
  };
  new MutationObserver(repair).observe(page, { childList: true, subtree: true });
  page.addEventListener('focusin', manageFocus);
  repair();
}

/** Moves the focus into an open dialog, keeps it there, and restores it when the dialog closes. */
function dialogFocus(page) {
  let isOpen = false;
  let cameFrom = null;
  return () => {
    const dialog = page.querySelector('.dialog-ux');
    if (dialog) {
      Object.assign(dialog, { role: 'dialog', ariaModal: 'true', ariaLabel: 'Authorize' });
      if (!dialog.contains(document.activeElement)) dialog.querySelector('input, .modal-btn')?.focus();
    } else {
      if (isOpen) cameFrom.focus();
      cameFrom = document.activeElement;
    }
    isOpen = dialog !== null;
  };
}
