/** Selects the documents that a propagated event of document @id is copied to: what landed relations tie to it (open-points 11, 29). */
export const COPIED_TO = `SELECT iif(r.document_id = @id, r.related_document, r.document_id) FROM events r
  JOIN event_states s ON s.document_id = r.document_id AND s.event_id = r.id AND s.state IN ('landed', 'landed-without-id', 'changed')
  WHERE r.related_document IS NOT NULL AND r.mirrored = 1
    AND (s.state = 'landed' OR s.attempted_at IS NULL OR s.attempted_link = r.related_document)
    AND (r.document_id = @id OR r.related_document = @id)`;
